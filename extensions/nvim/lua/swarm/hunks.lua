--- The hunks of a change: which lines make room for which, and which of them the user leaves out.
local M = {}

local namespace = vim.api.nvim_create_namespace("swarm.hunks")

--- The hunks between two texts, as the server counts them: from 0, without the line at `end`.
--- @param before string
--- @param after string
--- @return swarm.Hunk[]
function M.between(before, after)
  local function range(start, count)
    -- An empty range is named by the line before it.
    local first = count == 0 and start or start - 1
    return { start = first, ["end"] = first + count }
  end
  return vim.tbl_map(function(hunk)
    return { before = range(hunk[1], hunk[2]), after = range(hunk[3], hunk[4]) }
  end, vim.diff(before, after, { result_type = "indices" }))
end

--- Which hunk has that line on that side; an empty range has the lines beside it.
--- @param side "before"|"after"
--- @param line integer counted from 0
--- @return integer?
function M.at(hunks, side, line)
  for index, hunk in ipairs(hunks) do
    local range = hunk[side]
    local empty = range.start == range["end"]
    if
      (line >= range.start and line < range["end"]) or (empty and math.abs(line - range.start + 0.5) < 1)
    then
      return index
    end
  end
end

--- The hunks that are not left out.
--- @param hunks swarm.Hunk[]
--- @param left_out table<integer, true>
--- @return swarm.Hunk[]
function M.taken(hunks, left_out)
  local taken = {}
  for index, hunk in ipairs(hunks) do
    if not left_out[index] then
      table.insert(taken, hunk)
    end
  end
  return taken
end

--- Says beside a side's lines which hunks are left out.
--- @param hunks swarm.Hunk[]
function M.mark(buffer, side, hunks, left_out)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  for index, hunk in ipairs(hunks) do
    if left_out[index] then
      vim.api.nvim_buf_set_extmark(buffer, namespace, math.min(hunk[side].start, last), 0, {
        virt_text = { { "left out", "WarningMsg" } },
        virt_text_pos = "right_align",
      })
    end
  end
end

return M
