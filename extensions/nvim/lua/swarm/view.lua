--- Scratch buffers and the windows that show them.
local M = {}

--- The buffer of this name, made when it is not there.
function M.buffer(name, filetype)
  local there = vim.fn.bufnr("^" .. vim.fn.escape(name, "[]*?\\") .. "$")
  if there ~= -1 and vim.api.nvim_buf_is_valid(there) then
    return there, false
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, name)
  vim.bo[buffer].bufhidden = "hide"
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].filetype = filetype
  vim.bo[buffer].modifiable = false
  return buffer, true
end

--- Replaces the lines from `first` (counted from 0) on. Windows that showed the end go on showing it.
function M.write(buffer, lines, first)
  local count = vim.api.nvim_buf_line_count(buffer)
  local at_end = vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] >= count
  end, vim.fn.win_findbuf(buffer))
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, first or 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  for _, window in ipairs(at_end) do
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
  end
end

--- Shows a buffer: where it is shown already, else in a new window.
function M.show(buffer, split)
  local window = vim.fn.win_findbuf(buffer)[1]
  if window then
    vim.api.nvim_set_current_win(window)
    return window
  end
  vim.cmd(split)
  window = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(window, buffer)
  return window
end

function M.map(buffer, keys, does, deed)
  vim.keymap.set("n", keys, deed, { buffer = buffer, nowait = true, desc = "swarm: " .. does })
end

--- Opens a buffer to write in; `:write` gives its text to `done`, closing it without writing does nothing.
function M.compose(name, lines, filetype, done)
  local buffer = vim.api.nvim_create_buf(false, false)
  vim.api.nvim_buf_set_name(buffer, name .. "#" .. buffer)
  vim.bo[buffer].buftype = "acwrite"
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].filetype = filetype
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modified = false
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buffer,
    callback = function()
      local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
      if done(text) ~= false then
        vim.bo[buffer].modified = false
        vim.schedule(function()
          pcall(vim.api.nvim_buf_delete, buffer, { force = true })
        end)
      end
    end,
  })
  vim.cmd("botright 10split")
  vim.api.nvim_win_set_buf(0, buffer)
  return buffer
end

return M
