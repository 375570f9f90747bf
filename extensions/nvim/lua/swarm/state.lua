--- What this editor knows of the team: a snapshot, kept up to date by events and taken anew after a gap.
local client = require("swarm.client")
local M = {}

local function nothing()
  return { teams = {}, members = {}, permissions = {}, plans = {}, tasks = {} }
end

--- The snapshot of the project that the user is in. Others read it; only this module changes it.
--- @type swarm.StateResult
M.now = nothing()

--- The client that `now` comes from.
--- @type integer?
M.client = nil

-- By client: its `now`, the `seq` of the last event in it (none before the first snapshot), and, while a
-- snapshot is asked for, the events that came `since`. Each project has a server.
local servers = {}

local function of(client_id)
  servers[client_id] = servers[client_id] or { now = nothing(), seq = nil, since = nil }
  return servers[client_id]
end

local listeners = {}

--- Calls `listener(event)` after each event, and `listener(nil, missed)` when all is new: whether events were
--- missed before that. `stop()` ends it.
function M.listen(listener)
  listeners[listener] = true
  return function()
    listeners[listener] = nil
  end
end

local function tell(event, missed)
  for listener in pairs(listeners) do
    local ok, problem = pcall(listener, event, missed)
    if not ok then
      client.say(problem, vim.log.levels.ERROR)
    end
  end
  local name = event and event.kind:gsub("^%l", string.upper) or "State"
  vim.api.nvim_exec_autocmds("User", { pattern = "Swarm" .. name, modeline = false, data = event })
  vim.cmd.redrawstatus({ bang = true })
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
  memberChanged = function(now, event)
    put(now.members, "agentId", event.member)
  end,
  memberEnded = function(now, event)
    for _, member in ipairs(now.members) do
      if member.agentId == event.member then
        member.state, member.tool = event.outcome, nil
      end
    end
  end,
  permissionRequested = function(now, event)
    put(now.permissions, "id", event.request)
  end,
  permissionResolved = function(now, event)
    drop(now.permissions, "id", event.id)
  end,
  planRequested = function(now, event)
    put(now.plans, "id", event.plan)
  end,
  planResolved = function(now, event)
    drop(now.plans, "id", event.id)
  end,
  taskChanged = function(now, event)
    put(now.tasks, "id", event.task)
  end,
}

--- Makes of a snapshot what it is after an event.
--- @param event swarm.Event
local function change(now, event)
  if apply[event.kind] then
    apply[event.kind](now, event)
  end
end

local function show(client_id, missed)
  M.client, M.now = client_id, client_id and of(client_id).now or nothing()
  tell(nil, missed)
  require("swarm.questions").follow()
end

--- Goes to the project that the user is in.
local function here()
  local to = client.get()
  if (to and to.id) ~= M.client then
    show(to and to.id)
  end
end

vim.api.nvim_create_autocmd({ "BufEnter", "LspAttach" }, {
  group = vim.api.nvim_create_augroup("swarm.state", { clear = true }),
  callback = here,
})

-- A question is answered where it was asked, wherever the user is by then.
local function tag(questions, client_id)
  for _, question in ipairs(questions) do
    question.client = client_id
  end
end

--- Asks a server for everything, as at the start and after a gap.
--- @param client_id? integer else that of the project that the user is in
--- @param missed? boolean events are missing
function M.refresh(client_id, missed)
  client_id = client_id or M.client
  local server = client_id and of(client_id)
  if not server or server.since then
    return
  end
  server.since = {}
  -- An answer that never comes must not keep a later one away.
  vim.defer_fn(function()
    server.since = nil
  end, 5000)
  client.request("swarm/state", nil, function(state)
    local since, seq = server.since or {}, state.seq
    local again = false
    server.since = nil
    server.now = vim.tbl_extend("force", nothing(), state)
    -- Events may overtake the answer.
    for _, params in ipairs(since) do
      if params.seq > seq then
        again = again or params.seq > seq + 1
        seq = params.seq
        change(server.now, params.event)
      end
    end
    server.seq = math.max(server.seq or 0, seq)
    tag(server.now.permissions, client_id)
    tag(server.now.plans, client_id)
    here()
    if M.client == client_id then
      show(client_id, missed)
    end
    if again then
      M.refresh(client_id, true)
    end
  end, client_id)
end

--- A server has ended, and nothing of its team is known any more.
function M.gone(client_id)
  vim.schedule(function()
    servers[client_id] = nil
    require("swarm.questions").forget()
    if M.client == client_id then
      M.client = nil
      local to = client.get()
      show(to and to.id ~= client_id and to.id or nil)
    end
  end)
end

--- Takes what a server tells.
--- @param params swarm.EventParams
--- @param client_id integer
function M.event(params, client_id)
  local server, event = of(client_id), params.event
  -- Behind a gap it stays the last one, until a snapshot has come.
  local missed = not server.since and params.seq > (server.seq or -1) + 1
  tag({ event.request or event.plan }, client_id)
  if server.since then
    table.insert(server.since, params)
  elseif not missed then
    server.seq = math.max(server.seq, params.seq)
  end
  change(server.now, event)
  local asks = event.kind == "permissionRequested" or event.kind == "planRequested"
  here()
  if M.client == client_id then
    tell(event)
  elseif asks then
    local elsewhere = vim.lsp.get_client_by_id(client_id)
    local folder = elsewhere and vim.fs.basename(elsewhere.root_dir or "") or "another project"
    client.say(("in %s, %s"):format(folder, require("swarm.questions").title(event.request or event.plan)))
  end
  if missed or #server.now.teams == 0 or event.kind == "teamChanged" then
    M.refresh(client_id, missed)
  end
  if asks then
    require("swarm.questions").follow()
  elseif event.kind == "toolFinished" or event.kind == "checkpointRestored" then
    require("swarm.documents").changed()
  end
end

--- The member that is called so; the leader's agent without a name.
--- @param name? string
--- @return swarm.MemberView?
function M.member(name)
  for _, member in ipairs(M.now.members) do
    if member.name == (name or "team-lead") then
      return member
    end
  end
end

--- The names of all teams.
function M.teams()
  return vim.tbl_map(function(team)
    return team.name
  end, M.now.teams)
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
