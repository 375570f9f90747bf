-- What a spec may claim. A failed claim says what was there instead.
local M = {}

M.MOST_MILLISECONDS = 20000

local function shown(value)
  return type(value) == "string" and value or vim.inspect(value)
end

--- Lets Neovim work until `look` returns something, and returns that. `otherwise` tells what was there.
function M.eventually(what, look, otherwise)
  local found
  vim.wait(M.MOST_MILLISECONDS, function()
    found = look()
    return found
  end, 10)
  if not found then
    error(
      ("never came: %s; there is %s"):format(what, otherwise and shown(otherwise()) or "nothing to show"),
      2
    )
  end
  return found
end

function M.equal(actual, expected, what)
  if not vim.deep_equal(actual, expected) then
    error(("%s: expected %s, got %s"):format(what, shown(expected), shown(actual)), 2)
  end
end

function M.contains(text, part, what)
  if not shown(text):find(part, 1, true) then
    error(("%s: expected to contain %q, got %s"):format(what, part, shown(text)), 2)
  end
end

return M
