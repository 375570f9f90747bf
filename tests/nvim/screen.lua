-- A Neovim in a real terminal of tmux: keys go in, and what a person would see comes out as text.
local check = require("check")
local Screen = {}
Screen.__index = Screen

local COLUMNS, ROWS = 110, 32

-- What the help says belongs in an init.lua.
local INIT = [[
vim.opt.runtimepath:prepend(%q)
require("swarm").setup()
vim.o.statusline = "%%f %%= %%{v:lua.require'swarm'.status()}"
]]

--- Opens a file of the world in a Neovim that has nothing but the plugin. Two at once have names.
function Screen.open(world, name, as)
  local socket = ("%s/tmux%s"):format(world.folder, as or "")
  local self = setmetatable({ socket = socket, pictures = vim.env.SWARM_PICTURES }, Screen)
  local root = vim.fs.dirname(vim.fs.dirname(package.path:match("^(.-)/%?")))
  local init = world.folder .. "/init.lua"
  vim.fn.writefile(vim.split(INIT:format(root .. "/extensions/nvim"), "\n"), init)
  local editor = { vim.v.progpath, "--clean", "-u", init, "-n", name }
  local session = { "-f", "/dev/null", "new-session", "-d", "-x", tostring(COLUMNS), "-y", tostring(ROWS) }
  vim.list_extend(session, { "-c", world.workspace, "--" })
  self:tmux(vim.list_extend(session, editor))
  return self
end

function Screen:tmux(arguments)
  local command = vim.list_extend({ "tmux", "-u", "-S", self.socket }, arguments)
  local result = vim.system(command, { text = true, timeout = check.MOST_MILLISECONDS }):wait()
  check.equal(result.code, 0, "tmux: " .. result.stderr)
  return result.stdout
end

--- What is to be seen now.
function Screen:text()
  return self:tmux({ "capture-pane", "-p" })
end

--- Waits until `words` are to be seen, and returns the whole screen.
function Screen:shows(words)
  return check.eventually(("%s on the screen"):format(words), function()
    local text = self:text()
    return text:find(words, 1, true) and text
  end, function()
    return "\n" .. self:text()
  end)
end

--- Presses keys: a text as it is, or a list of tmux's names of keys.
function Screen:press(...)
  for _, keys in ipairs({ ... }) do
    if type(keys) == "table" then
      self:tmux(vim.list_extend({ "send-keys" }, keys))
    else
      self:tmux({ "send-keys", "-l", keys })
    end
  end
end

--- Runs a command as it is typed.
function Screen:command(text)
  self:press(":" .. text, { "Enter" })
end

--- Chooses an entry of the built-in menu by the number that stands before it.
function Screen:choose(title)
  local text = self:shows(": " .. title)
  self:press(text:match("(%d+): " .. vim.pesc(title) .. "%s*\n"), { "Enter" })
end

--- Keeps what is to be seen, for the documentation, where SWARM_PICTURES names a folder.
function Screen:picture(name)
  if self.pictures then
    vim.fn.writefile(vim.split(vim.trim(self:text()), "\n"), ("%s/%s.txt"):format(self.pictures, name))
  end
end

--- Leaves Neovim as a person does, and waits for the end of all of it.
function Screen:quit()
  self:press({ "Escape" })
  self:command("qall!")
  check.eventually("the end of the terminal", function()
    local list = { "tmux", "-S", self.socket, "list-sessions" }
    return vim.system(list, { text = true }):wait().code ~= 0
  end)
end

--- Takes away what a failed spec left.
function Screen:close()
  vim.system({ "tmux", "-S", self.socket, "kill-server" }, { text = true }):wait()
end

return Screen
