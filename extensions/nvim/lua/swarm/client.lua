--- The connection: how the server is started, what it may ask of this editor, and requests to it.
local M = {}

local function document_of(uri)
  local buffer = vim.uri_to_bufnr(uri)
  return vim.api.nvim_buf_is_loaded(buffer) and buffer or nil
end

--- Saves a document after an agent's edit, as LSP has no way to ask for.
local function save(_, params)
  local buffer = document_of(params.uri)
  if not buffer then
    return { saved = false }
  end
  local saved = pcall(vim.api.nvim_buf_call, buffer, function()
    vim.cmd("silent noautocmd write")
  end)
  return { saved = saved and not vim.bo[buffer].modified }
end

--- The client's configuration, for `vim.lsp.config`.
function M.config()
  local options = require("swarm").options
  return {
    cmd = options.cmd,
    init_options = options.settings,
    -- `workspace/configuration` finds them here.
    settings = { swarm = options.settings },
    root_dir = function(buffer, start)
      -- A buffer that stands for no file has no folder to work in.
      if vim.bo[buffer].buftype == "" then
        -- A file of no project, such as a plan, belongs to the team at work.
        local running = vim.lsp.get_clients({ name = "swarm" })[1]
        local other = running and running.root_dir or vim.fn.getcwd()
        start(vim.fs.root(buffer, { ".git", ".swarm" }) or other)
      end
    end,
    capabilities = {
      experimental = { swarm = { events = true, permissions = true, terminals = true, editor = true } },
    },
    handlers = {
      ["swarm/event"] = function(_, params, context)
        require("swarm.state").event(params, context.client_id)
      end,
      ["swarm/editor/save"] = save,
      ["swarm/editor/diagnostics"] = function(_, params)
        return require("swarm.knowledge").diagnostics(params)
      end,
      ["swarm/editor/definition"] = function(_, params)
        return require("swarm.knowledge").look_up("textDocument/definition", params)
      end,
      ["swarm/editor/references"] = function(_, params)
        return require("swarm.knowledge").look_up("textDocument/references", params)
      end,
      ["swarm/terminal/open"] = function(_, params, context)
        return require("swarm.terminals").open(params, context.client_id)
      end,
      ["swarm/terminal/close"] = function(_, params)
        return require("swarm.terminals").close(params)
      end,
      ["swarm/terminal/show"] = function(_, params)
        return require("swarm.terminals").show(params)
      end,
      ["swarm/terminal/hide"] = function(_, params)
        return require("swarm.terminals").hide(params)
      end,
    },
    on_init = function(client)
      require("swarm.state").refresh(client.id)
    end,
    on_exit = function(_, _, client_id)
      require("swarm.state").gone(client_id)
    end,
  }
end

local last

local function running(filter)
  return vim.iter(vim.lsp.get_clients(filter)):find(function(client)
    return not client:is_stopped()
  end)
end

--- The client of the project that the user is in: of this buffer, or of the last one that had any.
--- @return vim.lsp.Client?
function M.get()
  local here = running({ name = "swarm", bufnr = 0 })
    or (last and running({ name = "swarm", id = last }))
    or running({ name = "swarm" })
  last = here and here.id
  return here
end

-- A server ends within two seconds; one that hangs does not.
local PATIENCE_MILLISECONDS = 3000

--- Ends the server, which keeps its team on the disk, and starts it anew for the files that are open. One
--- that does not end is killed.
function M.reconnect()
  for _, client in ipairs(vim.lsp.get_clients({ name = "swarm" })) do
    client:stop()
  end
  local began = vim.uv.now()
  local function start()
    local left = vim.lsp.get_clients({ name = "swarm" })
    if #left == 0 then
      vim.lsp.enable("swarm")
      return
    end
    if vim.uv.now() - began > PATIENCE_MILLISECONDS then
      for _, client in ipairs(left) do
        client:stop(true)
      end
    end
    vim.defer_fn(start, 50)
  end
  start()
end

--- Says something to the person at the editor.
function M.say(text, level)
  vim.notify("swarm: " .. text, level or vim.log.levels.INFO)
end

--- Sends a request; never waits. A refusal is shown, and `done` is then not called.
--- @param done? fun(result: any)
--- @param to? integer the client's id; else that of the project that the user is in
function M.request(method, params, done, to)
  local client = M.get()
  if to then
    client = vim.lsp.get_client_by_id(to)
  end
  if not client then
    M.say("no server runs; open a file of a project, or see :checkhealth swarm", vim.log.levels.WARN)
    return
  end
  local sent = client:request(method, params or vim.empty_dict(), function(problem, result)
    if client:is_stopped() then
      -- What it says while it ends is of no use.
      return
    elseif problem then
      M.say(problem.message, vim.log.levels.ERROR)
    elseif done then
      done(result)
    end
  end)
  if not sent then
    M.say("the server has ended", vim.log.levels.WARN)
  end
end

return M
