--- What waits for a person: calls that a member may not make alone, and plans.
local client = require("swarm.client")
local state = require("swarm.state")
local view = require("swarm.view")
local M = {}

-- By server and id: questions whose menu was opened, and those that were told while the user typed.
local shown, told_of = {}, {}
local menu_open = false

-- What a question asks where there is no call of a tool behind it, so that there is no input to change.
local WITHOUT_CALL = { Budget = true, ProjectRules = true }

local LEVELS = {
  readOnly = "reads",
  changesFiles = "changes files",
  runsCode = "runs code",
  leavesMachine = "leaves the machine",
  destroys = "destroys",
}

local SCOPES = {
  session = "while it lives",
  team = "in this team",
  project = "in this project",
  user = "everywhere",
}

local function key(question)
  return ("%d %s"):format(question.client, question.id)
end

--- A question in a line.
--- @param question swarm.PermissionRequest|swarm.PlanRequest
function M.title(question)
  if question.plan then
    return ("%s has a plan and asks to go to work"):format(question.name)
  end
  return ("%s asks: %s (%s)"):format(question.workerName, question.description, LEVELS[question.level] or "?")
end

--- @param result swarm.PermissionResolveResult
local function told(result)
  for _, each in ipairs(result.results) do
    if each.outcome ~= "resolved" then
      client.say("this was decided already")
    end
  end
end

--- Allows or rejects a call. `extra`: `updatedInput`, `feedback`, `remember`.
--- @param request swarm.PermissionRequest
--- @param decision swarm.DecisionName
function M.decide(request, decision, extra)
  local params = vim.tbl_extend("error", { ids = { request.id }, decision = decision }, extra or {})
  client.request("swarm/permission/resolve", params, told, request.client)
end

--- @param plan swarm.PlanRequest
--- @param approve boolean
function M.decide_plan(plan, approve, extra)
  local params = vim.tbl_extend("error", { id = plan.id, approve = approve }, extra or {})
  client.request("swarm/plan/resolve", params, told, plan.client)
end

--- Opens a buffer to write to the member; `:write` sends it, and leaving it is no decision.
local function with_feedback(who, send)
  view.compose("swarm://feedback/" .. who, { "" }, "markdown", function(text)
    if vim.trim(text) == "" then
      client.say(("write what %s should hear; :quit decides nothing"):format(who), vim.log.levels.WARN)
      return false
    end
    send(vim.trim(text))
  end)
end

--- The open questions that are like this one and came with it, itself among them.
local function batch_of(request)
  local first = request.batch or request.id
  return vim.tbl_filter(function(other)
    return other.batch == first or other.id == first
  end, state.now.permissions)
end

--- Opens the input of a call to change it; `:write` allows the call with it.
--- @param request swarm.PermissionRequest
function M.edit(request)
  local text = vim.json.encode(request.input)
  local pretty = vim.fn.executable("jq") == 1
    and vim.system({ "jq", "." }, { stdin = text, text = true }):wait()
  if pretty and pretty.code == 0 then
    text = vim.trim(pretty.stdout)
  end
  local name = ("swarm://input/%s"):format(request.workerName)
  view.compose(name, vim.split(text, "\n"), "json", function(written)
    local ok, input = pcall(vim.json.decode, written)
    if not ok or type(input) ~= "table" then
      client.say("the input is no JSON object: " .. tostring(input), vim.log.levels.ERROR)
      return false
    end
    M.decide(request, "allow", { updatedInput = input })
  end)
end

local function choices_of_call(request)
  local choices = {
    {
      "allow",
      function()
        M.decide(request, "allow")
      end,
    },
  }
  local batch = batch_of(request)
  if #batch > 1 then
    table.insert(choices, {
      ("allow all %d like it"):format(#batch),
      function()
        local ids = vim.tbl_map(function(each)
          return each.id
        end, batch)
        client.request("swarm/permission/resolve", { ids = ids, decision = "allow" }, told, request.client)
      end,
    })
  end
  for _, rule in ipairs(request.permissionSuggestions or {}) do
    local title = ("allow always %s %s"):format(table.concat(rule.rules, ", "), SCOPES[rule.scope] or "")
    table.insert(choices, {
      title,
      function()
        M.decide(request, "allow", { remember = rule })
      end,
    })
  end
  vim.list_extend(choices, {
    {
      "show",
      function()
        require("swarm.diff").show(request)
      end,
    },
    {
      "reject",
      function()
        M.decide(request, "reject")
      end,
    },
    {
      "reject with feedback",
      function()
        with_feedback(request.workerName, function(feedback)
          M.decide(request, "reject", { feedback = feedback })
        end)
      end,
    },
  })
  if not WITHOUT_CALL[request.toolName] then
    table.insert(choices, {
      "edit the input",
      function()
        M.edit(request)
      end,
    })
  end
  return choices
end

local function choices_of_plan(plan)
  return {
    {
      "approve the plan",
      function()
        M.decide_plan(plan, true)
      end,
    },
    {
      "approve the plan, and its edits",
      function()
        M.decide_plan(plan, true, { mode = "acceptEdits" })
      end,
    },
    {
      "show the plan",
      function()
        vim.cmd.tabedit(vim.fn.fnameescape(plan.document))
      end,
    },
    {
      "reject the plan",
      function()
        M.decide_plan(plan, false)
      end,
    },
    {
      "reject the plan with feedback",
      function()
        with_feedback(plan.name, function(feedback)
          M.decide_plan(plan, false, { feedback = feedback })
        end)
      end,
    },
  }
end

local function detail(question)
  if question.plan then
    return question.plan
  end
  local lines = { question.why or "" }
  if question.input and question.input.command then
    table.insert(lines, question.input.command)
  end
  return vim.trim(table.concat(lines, "\n"))
end

--- Asks about one question now; no choice leaves it open.
--- @param question swarm.PermissionRequest|swarm.PlanRequest
function M.ask(question)
  local choices = question.plan and choices_of_plan(question) or choices_of_call(question)
  local prompt = M.title(question)
  local more = detail(question)
  if more ~= "" and not prompt:find(more, 1, true) then
    prompt = prompt .. "\n" .. more
  end
  menu_open = true
  vim.ui.select(choices, {
    prompt = prompt .. "\n",
    kind = "swarm_question",
    format_item = function(choice)
      return choice[1]
    end,
  }, function(choice)
    menu_open = false
    if choice then
      choice[2]()
    end
    vim.schedule(M.follow)
  end)
end

--- All open questions, oldest first.
function M.open()
  local open = vim.list_extend({}, state.now.permissions)
  for _, plan in ipairs(state.now.plans) do
    if not plan.reviewing then
      table.insert(open, plan)
    end
  end
  table.sort(open, function(a, b)
    return a.createdAt < b.createdAt
  end)
  return open
end

local function is_open(id)
  return vim.iter(M.open()):any(function(question)
    return question.id == id
  end)
end

--- No menu opens over what the user types just now: it is told, and asked when they are done.
local function wait_for_normal_mode(question)
  if not told_of[key(question)] then
    told_of[key(question)] = true
    client.say(M.title(question), vim.log.levels.WARN)
  end
  vim.api.nvim_create_autocmd("ModeChanged", {
    group = vim.api.nvim_create_augroup("swarm.questions", { clear = true }),
    pattern = "*:[nv]*",
    once = true,
    callback = function()
      vim.schedule(M.follow)
    end,
  })
end

--- Puts the next question that was not put yet, one at a time, where the user wants menus.
function M.follow()
  if require("swarm").options.ask ~= "menu" or menu_open then
    return
  end
  for _, question in ipairs(M.open()) do
    if not shown[key(question)] then
      if vim.api.nvim_get_mode().mode:match("^[nv]") then
        shown[key(question)] = true
        vim.schedule(function()
          if is_open(question.id) then
            M.ask(question)
          else
            M.follow()
          end
        end)
      else
        wait_for_normal_mode(question)
      end
      return
    end
  end
end

--- A server has ended: a menu of its question may never be answered.
function M.forget()
  menu_open = false
end

--- Lets the user choose among the open questions, where there is more than one.
local function choose(open, none, deed)
  if #open == 0 then
    client.say(none)
  elseif #open == 1 then
    deed(open[1])
  else
    local options = { prompt = "Waiting for you", kind = "swarm_pending", format_item = M.title }
    vim.ui.select(open, options, function(one)
      if one then
        deed(one)
      end
    end)
  end
end

--- Answers an open question.
function M.pending()
  choose(M.open(), "nothing waits for you", M.ask)
end

--- Shows what an open question would do.
function M.diff()
  choose(state.now.permissions, "no call waits for you", require("swarm.diff").show)
end

return M
