--- A team of AI coding agents in Neovim, led by the language server `swarm-ls`. See |swarm|.
local M = {}

--- @class swarm.Options
--- @field cmd? string[] the server; by default `swarm-ls` on PATH
--- @field settings? table the server's settings, as docs/protocol.md lists them
--- @field ask? "menu"|"none" whether a question opens a menu by itself; else it waits in `:Swarm pending`
M.options = { cmd = { "swarm-ls", "--stdio" }, settings = {}, ask = "menu" }

--- Takes options and starts the server for every file from now on. May be called again.
--- @param options? swarm.Options
function M.setup(options)
  M.options = vim.tbl_deep_extend("force", M.options, options or {})
  vim.lsp.enable("swarm")
end

--- The team in a few words, for a statusline: `3 working · 1 needs you`. Empty where no server runs.
function M.status()
  return require("swarm.state").summary()
end

return M
