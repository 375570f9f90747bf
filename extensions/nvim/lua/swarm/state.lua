--- What this editor knows of the team: a snapshot, kept up to date by events and taken anew after a gap.
local client = require("swarm.client")
local M = {}

local function nothing()
  return { teams = {}, members = {}, permissions = {}, plans = {}, tasks = {} }
end

--- The snapshot. Others read it; only this module changes it.
M.now = nothing()

local seq = 0
local asked = false
local listeners = {}

--- Calls `listener(event)` after each event, and without an event when all is new. `stop()` ends that.
function M.listen(listener)
  listeners[listener] = true
  return function()
    listeners[listener] = nil
  end
end

local function tell(event)
  for listener in pairs(listeners) do
    local ok, problem = pcall(listener, event)
    if not ok then
      client.say(problem, vim.log.levels.ERROR)
    end
  end
  local name = event and event.kind:gsub("^%l", string.upper) or "State"
  vim.api.nvim_exec_autocmds("User", { pattern = "Swarm" .. name, modeline = false, data = event })
  vim.cmd.redrawstatus({ bang = true })
end

--- Asks the server for everything, as at the start and after a gap.
function M.refresh()
  if asked then
    return
  end
  asked = true
  -- An answer that never comes must not keep a later one away.
  vim.defer_fn(function()
    asked = false
  end, 5000)
  client.request("swarm/state", nil, function(state)
    asked = false
    seq = math.max(seq, state.seq)
    M.now = vim.tbl_extend("force", nothing(), state)
    tell(nil)
    require("swarm.questions").follow()
  end)
end

--- A server has ended; without another one nothing is known any more.
function M.gone(client_id)
  vim.schedule(function()
    for _, other in ipairs(vim.lsp.get_clients({ name = "swarm" })) do
      if other.id ~= client_id and not other:is_stopped() then
        return
      end
    end
    seq, asked = 0, false
    M.now = nothing()
    require("swarm.questions").forget()
    tell(nil)
  end)
end

local function put(list, key, value)
  for index, there in ipairs(list) do
    if there[key] == value[key] then
      list[index] = value
      return
    end
  end
  table.insert(list, value)
end

local function drop(list, key, value)
  for index = #list, 1, -1 do
    if list[index][key] == value then
      table.remove(list, index)
    end
  end
end

local apply = {
  memberChanged = function(event)
    put(M.now.members, "agentId", event.member)
  end,
  memberEnded = function(event)
    for _, member in ipairs(M.now.members) do
      if member.agentId == event.member then
        member.state, member.tool = event.outcome, nil
      end
    end
  end,
  permissionRequested = function(event)
    put(M.now.permissions, "id", event.request)
  end,
  permissionResolved = function(event)
    drop(M.now.permissions, "id", event.id)
  end,
  planRequested = function(event)
    put(M.now.plans, "id", event.plan)
  end,
  planResolved = function(event)
    drop(M.now.plans, "id", event.id)
  end,
  taskChanged = function(event)
    put(M.now.tasks, "id", event.task)
  end,
  warning = function(event)
    client.say(event.text, vim.log.levels.WARN)
  end,
  shutdownRefused = function(event)
    client.say(("%s would rather go on: %s"):format(event.member, event.reason), vim.log.levels.WARN)
  end,
}

--- Takes what the server tells.
function M.event(params)
  local missed = seq > 0 and params.seq > seq + 1
  seq = math.max(seq, params.seq)
  local event = params.event
  if apply[event.kind] then
    apply[event.kind](event)
  end
  tell(event)
  if missed or #M.now.teams == 0 then
    M.refresh()
  end
  if event.kind == "permissionRequested" or event.kind == "planRequested" then
    require("swarm.questions").follow()
  elseif event.kind == "toolFinished" or event.kind == "checkpointRestored" then
    require("swarm.documents").changed()
  end
end

--- The member that is called so; the leader's agent without a name.
function M.member(name)
  for _, member in ipairs(M.now.members) do
    if member.name == (name or "team-lead") then
      return member
    end
  end
end

--- The names of all members.
function M.names()
  return vim.tbl_map(function(member)
    return member.name
  end, M.now.members)
end

--- How many questions wait for a person.
function M.waiting()
  return #M.now.permissions + #M.now.plans
end

--- The team in a few words.
function M.summary()
  if not client.get() then
    return ""
  end
  local working = 0
  for _, member in ipairs(M.now.members) do
    if vim.tbl_contains({ "starting", "working", "planning", "rateLimited" }, member.state) then
      working = working + 1
    end
  end
  local parts = { ("%d working"):format(working) }
  if M.waiting() > 0 then
    table.insert(parts, ("%d needs you"):format(M.waiting()))
  end
  return table.concat(parts, " · ")
end

return M
