--- Terminals that the server asks for: a teammate's own process, in a buffer of this editor.
local client = require("swarm.client")
local M = {}

local terminals = {}
local count = 0

local function show(terminal)
  if #vim.fn.win_findbuf(terminal.buffer) == 0 then
    local here = vim.api.nvim_get_current_win()
    vim.cmd("botright 12split")
    vim.api.nvim_win_set_buf(0, terminal.buffer)
    vim.api.nvim_set_current_win(here)
  end
end

--- Runs a command, as a list of arguments and not as a shell's line.
--- @param params swarm.TerminalOpenParams
--- @param client_id integer
function M.open(params, client_id)
  count = count + 1
  local id = ("nvim-%d-%d"):format(vim.fn.getpid(), count)
  local terminal = { buffer = vim.api.nvim_create_buf(false, true) }
  local root = vim.lsp.get_client_by_id(client_id).root_dir
  vim.bo[terminal.buffer].bufhidden = "hide"
  local started, job = pcall(vim.api.nvim_buf_call, terminal.buffer, function()
    return vim.fn.jobstart(vim.list_extend({ params.command }, params.args or {}), {
      term = true,
      cwd = params.cwd,
      env = params.env,
      on_exit = function(_, code)
        terminals[id] = nil
        -- By then it may be the business of the project's next server.
        for _, to in ipairs(vim.lsp.get_clients({ name = "swarm" })) do
          if to.root_dir == root then
            to:notify("swarm/terminal/closed", { terminalId = id, exitCode = code })
          end
        end
        vim.schedule(function()
          pcall(vim.api.nvim_buf_delete, terminal.buffer, { force = true })
        end)
      end,
    })
  end)
  if not started or job <= 0 then
    pcall(vim.api.nvim_buf_delete, terminal.buffer, { force = true })
    local why = ("`%s` cannot be started: %s"):format(params.command, started and "it cannot be run" or job)
    return nil, vim.lsp.rpc_response_error(-32803, why)
  end
  terminal.job = job
  pcall(
    vim.api.nvim_buf_set_name,
    terminal.buffer,
    ("swarm://terminal/%s/%d"):format(params.title or "", count)
  )
  -- A closed window hides it; a wiped buffer ends the command, which `on_exit` then tells.
  terminals[id] = terminal
  if not params.hidden then
    show(terminal)
  end
  return { terminalId = id }
end

--- @param params swarm.TerminalParams
local function known(params)
  local terminal = terminals[params.terminalId]
  if terminal then
    return terminal
  end
  return nil, vim.lsp.rpc_response_error(-32803, ("there is no terminal `%s`"):format(params.terminalId))
end

--- @param params swarm.TerminalParams
function M.close(params)
  local terminal, problem = known(params)
  if not terminal then
    return nil, problem
  end
  vim.fn.jobstop(terminal.job)
  return vim.NIL
end

--- @param params swarm.TerminalParams
function M.show(params)
  local terminal, problem = known(params)
  if not terminal then
    return nil, problem
  end
  show(terminal)
  return vim.NIL
end

--- @param params swarm.TerminalParams
function M.hide(params)
  local terminal, problem = known(params)
  if not terminal then
    return nil, problem
  end
  for _, window in ipairs(vim.fn.win_findbuf(terminal.buffer)) do
    -- The last window stays.
    pcall(vim.api.nvim_win_hide, window)
  end
  return vim.NIL
end

--- Lets the user choose a terminal to look at.
function M.choose()
  local ids = vim.tbl_keys(terminals)
  if #ids == 0 then
    client.say("no teammate has a terminal here")
    return
  end
  table.sort(ids)
  vim.ui.select(ids, {
    prompt = "Terminals",
    format_item = function(id)
      return vim.api.nvim_buf_get_name(terminals[id].buffer)
    end,
  }, function(id)
    if id and terminals[id] then
      show(terminals[id])
    end
  end)
end

return M
