-- One spec's world: a throwaway repository and state root, a scripted model, the server, and a person.
local Person = require("person")
local check = require("check")
local readme = require("readme")
local World = {}
World.__index = World

function World.new()
  local self = setmetatable({ events = {}, exits = {} }, World)
  -- A space and wide characters: a path is bytes to nobody but the file system.
  self.folder = vim.fn.tempname() .. " of 世界"
  self.workspace = self.folder .. "/work space"
  vim.fn.mkdir(self.workspace, "p")
  vim.env.SWARM_HOME = self.folder .. "/state"
  vim.env.GIT_CONFIG_GLOBAL = "/dev/null"
  vim.env.GIT_CONFIG_SYSTEM = "/dev/null"
  self.person = Person.new()
  return self
end

--- Writes a file of the workspace.
function World:write(name, lines)
  vim.fn.writefile(lines, self.workspace .. "/" .. name)
end

--- The lines of a file of the workspace, as they are on disk.
function World:on_disk(name)
  return vim.fn.readfile(self.workspace .. "/" .. name)
end

--- Makes the workspace a repository with all its files committed.
function World:commit()
  local as = { "-c", "user.name=A", "-c", "user.email=a@example.invalid" }
  for _, arguments in ipairs({ { "init", "-q" }, { "add", "." }, { "commit", "-q", "-m", "Start" } }) do
    local command = vim.list_extend(vim.list_extend({ "git" }, as), arguments)
    local result = vim.system(command, { cwd = self.workspace, text = true }):wait()
    check.equal(result.code, 0, "git: " .. result.stderr)
  end
end

--- Starts the scripted model; the server that is started next will ask it. So many prompts, none unless told,
--- may continue no earlier one.
function World:play(script, breaks)
  script.variables = { workspace = self.workspace }
  local path = self.folder .. "/script.json"
  vim.fn.writefile({ vim.json.encode(script) }, path)
  self.said = ""
  local function listen(_, text)
    self.said = self.said .. (text or "")
  end
  local program = assert(vim.env.SWARM_SCRIPT_SERVE, "SWARM_SCRIPT_SERVE names the scripted model")
  self.model = vim.system(
    { program, path, tostring(breaks or 0) },
    { stdin = true, stdout = listen, stderr = listen }
  )
  local url = check.eventually("the model's address", function()
    return self.said:match("(http://%S+)\n")
  end, function()
    return self.said
  end)
  vim.env.ANTHROPIC_BASE_URL = url
  vim.env.ANTHROPIC_API_KEY = "only-for-tests"
end

--- Opens a file of the workspace, and sets Neovim up as the README says: first its blocks with the marks of
--- `blocks`, then the one that enables the server. `capabilities` are announced besides.
function World:connect(name, blocks, capabilities)
  -- Open before the server is enabled: else an empty buffer gets a server of its own, for the folder that the
  -- tests run in. In an init.lua it would not.
  vim.cmd.edit(vim.fn.fnameescape(self.workspace .. "/" .. name))
  self.buffer = vim.api.nvim_get_current_buf()
  vim.lsp.config.swarm = {
    capabilities = capabilities or {},
    on_exit = function(code, signal)
      table.insert(self.exits, { code = code, signal = signal })
    end,
    handlers = {
      ["swarm/event"] = function(_, params)
        table.insert(self.events, params.event)
      end,
    },
  }
  for _, mark in ipairs(blocks or {}) do
    readme.run(mark)
  end
  readme.run('vim.lsp.enable("swarm")')
  self.client = check.eventually("the server is attached", function()
    local client = vim.lsp.get_clients({ name = "swarm", bufnr = self.buffer })[1]
    return client and client.initialized and client
  end, function()
    return { exits = self.exits, clients = #vim.lsp.get_clients(), filetype = vim.bo[self.buffer].filetype }
  end)
  check.equal(#vim.lsp.get_clients(), 1, "servers")
end

--- Opens a file of the workspace with the plugin, set up as its help says.
function World:plug(name, options)
  local root = vim.fs.dirname(vim.fs.dirname(package.path:match("^(.-)/%?")))
  vim.opt.runtimepath:prepend(root .. "/extensions/nvim")
  vim.cmd.runtime("plugin/swarm.lua")
  vim.cmd.edit(vim.fn.fnameescape(self.workspace .. "/" .. name))
  self.buffer = vim.api.nvim_get_current_buf()
  vim.lsp.config("swarm", {
    on_exit = function(code, signal, client_id)
      table.insert(self.exits, { code = code, signal = signal })
      require("swarm.state").gone(client_id)
    end,
  })
  require("swarm").setup(vim.tbl_extend("keep", options or {}, { ask = "menu" }))
  self.client = check.eventually("the server is attached", function()
    local client = vim.lsp.get_clients({ name = "swarm", bufnr = self.buffer })[1]
    return client and client.initialized and client
  end, function()
    return { exits = self.exits, filetype = vim.bo[self.buffer].filetype }
  end)
end

--- The lines of the one buffer whose name holds `words`.
function World.shown(words)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer):find(words, 1, true) then
      return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n"), buffer
    end
  end
  return ""
end

--- Waits until that buffer shows `text`.
function World.shows(words, text)
  check.eventually(("%s in %s"):format(text, words), function()
    return World.shown(words):find(text, 1, true)
  end, function()
    return World.shown(words)
  end)
end

--- Asks the server and waits for its answer.
function World:request(method, params)
  local answer, problem = self.client:request_sync(method, params, check.MOST_MILLISECONDS, self.buffer)
  if not answer or answer.err then
    error(("%s failed: %s"):format(method, problem or vim.inspect(answer.err)), 2)
  end
  return answer.result
end

--- Runs one of the server's commands as a user's mapping would.
function World:command(name, arguments)
  self.client:exec_cmd({ title = name, command = name, arguments = arguments }, { bufnr = self.buffer })
end

--- Waits until no member works any more.
function World:at_rest()
  check.eventually("everybody is idle", function()
    local members = self:request("swarm/state", vim.empty_dict()).members
    return #members > 0
      and vim.iter(members):all(function(member)
        return member.state == "idle"
      end)
  end, function()
    return self:request("swarm/state", vim.empty_dict()).members
  end)
end

function World:lines()
  return vim.api.nvim_buf_get_lines(self.buffer, 0, -1, false)
end

--- The server's diagnostics in the open file.
function World:diagnostics()
  return vim.tbl_filter(function(diagnostic)
    return diagnostic.source == "swarm"
  end, vim.diagnostic.get(self.buffer))
end

--- The first event that `fits`.
function World:event(what, fits)
  return check.eventually(what, function()
    return vim.iter(self.events):find(fits)
  end, function()
    return self.events
  end)
end

--- Leaves the server as Neovim does, and checks that it ended as a language server should.
function World:leave()
  if not self.client then
    return
  end
  self.client:stop()
  local exit = check.eventually("the server's end", function()
    return self.exits[1]
  end, function()
    return vim.lsp.get_clients()
  end)
  self.client = nil
  check.equal(exit, { code = 0, signal = 0 }, "the server's exit")
end

--- Ends the scripted model, and checks that every request was one that a real provider would have taken.
function World:dismiss_model()
  if not self.model then
    return
  end
  self.model:write(nil)
  check.equal(self.model:wait(check.MOST_MILLISECONDS).code, 0, "the model's complaints: " .. self.said)
end

--- Ends what the spec left open, also after a failure.
function World:close()
  local left, unclean = pcall(self.leave, self)
  local dismissed, complaints = pcall(self.dismiss_model, self)
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop(true)
  end
  self.person:leave()
  vim.lsp.enable("swarm", false)
  vim.cmd("silent! %bwipeout!")
  assert(left, unclean)
  assert(dismissed, complaints)
end

--- What the server logged, for the report of a failure.
function World:report()
  local logs = vim.fn.glob(self.folder .. "/state/log/*", true, true)
  local text = {}
  for _, path in ipairs(vim.list_extend(logs, { vim.lsp.get_log_path() })) do
    local lines = vim.fn.filereadable(path) == 1 and vim.fn.readfile(path, "", -40) or {}
    vim.list_extend(text, { "--- " .. path }, 1)
    vim.list_extend(text, lines)
  end
  return table.concat(text, "\n")
end

function World:remove()
  vim.fn.delete(self.folder, "rf")
end

return World
