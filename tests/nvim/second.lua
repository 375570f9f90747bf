-- A second Neovim that a spec can quit or kill, with a question open in it.
local check = require("check")
local Second = {}
Second.__index = Second

local folder = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))

-- Runs while the second Neovim starts, as an init.lua does: what the README says belongs there.
local INIT = ([[
  package.path = %q .. "/?.lua;" .. package.path
  vim.cmd("filetype on")
  require("readme").run('vim.lsp.enable("swarm")')
]]):format(folder)

-- Runs when it is up: a file, a prompt, and a person who never answers.
local ASK = [[
  local file, prompt, milliseconds = ...
  local asked
  vim.ui.select = function(_, options)
    asked = options.prompt
  end
  vim.cmd.edit(vim.fn.fnameescape(file))
  local client
  vim.wait(milliseconds, function()
    client = vim.lsp.get_clients({ name = "swarm" })[1]
    return client and client.initialized
  end)
  client:exec_cmd({ title = "Prompt", command = "swarm.prompt", arguments = { { text = prompt } } })
  vim.wait(milliseconds, function()
    return asked
  end)
  return asked or vim.NIL
]]

--- Starts it on a file of the world, and returns once its person is asked.
function Second.ask(world, name, prompt)
  local self = setmetatable({}, Second)
  local command = { vim.v.progpath, "--embed", "--headless", "-u", "NONE", "-i", "NONE", "-n" }
  vim.list_extend(command, { "--cmd", "lua " .. INIT:gsub("\n%s*", " ") })
  self.channel = vim.fn.jobstart(command, {
    rpc = true,
    on_exit = function(_, code)
      self.code = code
    end,
  })
  self.pid = vim.fn.jobpid(self.channel)
  local file = world.workspace .. "/" .. name
  local asked = vim.rpcrequest(self.channel, "nvim_exec_lua", ASK, { file, prompt, check.MOST_MILLISECONDS })
  check.contains(asked, name, "the question in the second Neovim")
  return self
end

--- Leaves as a user does, without a look at what is open.
function Second:quit()
  vim.rpcnotify(self.channel, "nvim_command", "qall!")
end

--- Takes it away without a word.
function Second:kill()
  vim.uv.kill(self.pid, "sigkill")
end

--- Waits until it has ended.
function Second:gone()
  check.eventually("the end of the second Neovim", function()
    return self.code
  end)
end

return Second
