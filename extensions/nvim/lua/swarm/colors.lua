--- The members' colours as highlight groups.
local M = {}

M.namespace = vim.api.nvim_create_namespace("swarm")

local shades = {
  red = "#e06c75",
  orange = "#d19a66",
  yellow = "#e5c07b",
  green = "#98c379",
  cyan = "#56b6c2",
  blue = "#61afef",
  purple = "#c678dd",
  magenta = "#c678dd",
  pink = "#e091c0",
}

--- The group of a member's colour; one that the user defined is left as it is.
function M.group(color)
  local shade = shades[color]
  if not shade then
    return "Title"
  end
  local group = "SwarmColor" .. color:gsub("^%l", string.upper)
  vim.api.nvim_set_hl(0, group, { fg = shade, bold = true, default = true })
  return group
end

--- Paints a piece of a line, in bytes.
function M.paint(buffer, line, from, to, group)
  vim.api.nvim_buf_set_extmark(buffer, M.namespace, line, from, { end_col = to, hl_group = group })
end

return M
