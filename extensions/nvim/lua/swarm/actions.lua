--- What a person does to a member, from whichever window or command.
local client = require("swarm.client")
local view = require("swarm.view")
local M = {}

--- Opens a buffer to write to a member; `:write` sends it.
function M.compose(name)
  local to = client.get()
  view.compose("swarm://prompt/" .. (name or "team-lead"), { "" }, "markdown", function(text)
    if vim.trim(text) == "" then
      client.say("nothing is written, so nothing is sent", vim.log.levels.WARN)
      return false
    end
    M.prompt(text, name, nil, to and to.id)
  end)
end

--- @param attachments? table
--- @param to? integer the client; else that of the project that the user is in
function M.prompt(text, name, attachments, to)
  client.request("swarm/prompt", { text = text, member = name, attachments = attachments }, nil, to)
end

function M.interrupt(name)
  client.request("swarm/interrupt", { member = name }, function(result)
    if not result.interrupted then
      client.say("no turn was running")
    end
  end)
end

--- Asks a member to end; when it was asked already, offers to end it at once.
function M.stop(name)
  vim.ui.select({ "ask it to end", "end it at once" }, {
    prompt = ("Stop %s"):format(name),
    kind = "swarm_stop",
  }, function(_, index)
    if index then
      client.request("swarm/teammate/stop", { member = name, force = index == 2 })
    end
  end)
end

function M.restart(name)
  client.request("swarm/teammate/restart", { member = name })
end

--- @param mode swarm.Mode
function M.set_mode(name, mode)
  client.request("swarm/teammate/setModes", { modes = { { member = name, mode = mode } } })
end

function M.choose_mode(name)
  vim.ui.select(require("swarm.team").MODES, { prompt = ("Mode of %s"):format(name) }, function(mode)
    if mode then
      M.set_mode(name, mode)
    end
  end)
end

--- Lets the user choose a task of the list and what becomes of it.
function M.tasks()
  client.request("swarm/task/list", nil, function(result)
    if #result.tasks == 0 then
      client.say("the list has no tasks; :Swarm task SUBJECT adds one")
      return
    end
    vim.ui.select(result.tasks, {
      prompt = "Tasks",
      kind = "swarm_task",
      format_item = function(task)
        return ("%s %s (%s)"):format(task.id, task.subject, task.status:gsub("_", " "))
      end,
    }, function(task)
      if task then
        M.task(task)
      end
    end)
  end)
end

--- Asks what becomes of a task.
--- @param task swarm.Task
function M.task(task)
  local becomes = {
    { "it is completed", { status = "completed" } },
    { "it is to be done again", { status = "pending", owner = "" } },
  }
  vim.ui.select(becomes, {
    prompt = task.subject,
    kind = "swarm_task_state",
    format_item = function(choice)
      return choice[1]
    end,
  }, function(choice)
    if choice then
      client.request("swarm/task/update", vim.tbl_extend("error", { id = task.id }, choice[2]))
    end
  end)
end

--- Makes the workspace what it was before a turn that the user chooses.
function M.undo()
  client.request("swarm/checkpoint/list", nil, function(result)
    if #result.checkpoints == 0 then
      client.say("no turn changed anything yet")
      return
    end
    vim.ui.select(result.checkpoints, {
      prompt = "Undo everything since",
      kind = "swarm_checkpoint",
      format_item = function(checkpoint)
        local at = os.date("%H:%M:%S", math.floor(checkpoint.createdAt / 1000))
        local who = checkpoint.member and checkpoint.member ~= vim.NIL and checkpoint.member:match("^[^@]*")
          or ""
        return ("%s %s  %s"):format(at, who, checkpoint.summary)
      end,
    }, function(checkpoint)
      if checkpoint then
        client.request("swarm/checkpoint/restore", { id = checkpoint.id }, function(restored)
          local count = #restored.files
          client.say(count == 1 and "1 file is what it was" or ("%d files are what they were"):format(count))
        end)
      end
    end)
  end)
end

return M
