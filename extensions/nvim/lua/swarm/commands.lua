--- `:Swarm` and its subcommands.
local actions = require("swarm.actions")
local client = require("swarm.client")
local state = require("swarm.state")
local M = {}

local function members()
  return state.names()
end

local function teammates()
  return vim.tbl_filter(function(name)
    return name ~= "team-lead"
  end, state.names())
end

local function modes()
  return require("swarm.team").MODES
end

--- The text without its first word.
local function behind_word(text)
  return (text:gsub("^%s*%S+%s*", ""))
end

--- The lines that the command was given, as an attachment.
local function selection(command)
  if command.range == 0 then
    return nil
  end
  local last = vim.fn.getline(command.line2)
  return {
    {
      uri = vim.uri_from_bufnr(0),
      range = {
        start = { line = command.line1 - 1, character = 0 },
        ["end"] = { line = command.line2 - 1, character = vim.str_utfindex(last, "utf-16") },
      },
    },
  }
end

--- What starts a teammate of that kind.
--- @param more? table
local function starter(subcommand, more)
  return function(words, _, text)
    if not words[2] then
      local usage = ("name a teammate and its task: :Swarm %s NAME TASK"):format(subcommand)
      return client.say(usage, vim.log.levels.WARN)
    end
    local params = { name = words[1], prompt = behind_word(text) }
    client.request("swarm/teammate/spawn", vim.tbl_extend("error", params, more or {}))
  end
end

--- Each: what it does, how it is completed, and the deed with the words behind it.
local SUBCOMMANDS = {
  prompt = {
    does = "tell the leader's agent what to do",
    run = function(_, command, text)
      if text == "" then
        return actions.compose()
      end
      actions.prompt(text, nil, selection(command))
    end,
  },
  message = {
    does = "write to a member, which reads it after its running calls",
    complete = members,
    run = function(words, command, text)
      if not words[1] then
        return client.say("name a member: :Swarm message NAME [TEXT]", vim.log.levels.WARN)
      end
      if not words[2] then
        return actions.compose(words[1])
      end
      actions.prompt(behind_word(text), words[1], selection(command))
    end,
  },
  team = {
    does = "open or close the team's window; or create NAME, delete NAME",
    complete = function(at)
      return at == 1 and { "create", "delete" } or state.teams()
    end,
    run = function(words, _, text)
      if not words[1] then
        return require("swarm.team").toggle()
      end
      if not vim.list_contains({ "create", "delete" }, words[1]) or not words[2] then
        return client.say(
          "say :Swarm team create NAME [WHAT FOR] or :Swarm team delete NAME",
          vim.log.levels.WARN
        )
      end
      local params = { name = words[2] }
      if words[1] == "create" and words[3] then
        params.description = behind_word(behind_word(text))
      end
      client.request("swarm/team/" .. words[1], params, function()
        client.say(("the team %s is %sd"):format(words[2], words[1]))
      end)
    end,
  },
  conversation = {
    does = "show a member's conversation; or new, list, open, rename, clear, compact",
    complete = function(at)
      local verbs = at == 1 and require("swarm.conversations").verbs() or {}
      return vim.list_extend(verbs, members())
    end,
    run = function(words, _, text)
      if require("swarm.conversations").run(words, text) then
        return
      end
      require("swarm.conversation").open(words[1])
    end,
  },
  pending = {
    does = "answer what waits for you",
    run = function()
      require("swarm.questions").pending()
    end,
  },
  compact = {
    does = "have a member's history summarised before it goes on",
    complete = members,
    run = function(words)
      client.request("swarm/conversation/compact", { member = words[1] }, function()
        client.say("its history is summarised before its next request")
      end)
    end,
  },
  interrupt = {
    does = "end a member's turn",
    complete = members,
    run = function(words)
      actions.interrupt(words[1])
    end,
  },
  stop = {
    does = "end a teammate",
    complete = teammates,
    run = function(words)
      if not words[1] then
        return client.say("name a teammate: :Swarm stop NAME", vim.log.levels.WARN)
      end
      actions.stop(words[1])
    end,
  },
  restart = {
    does = "start a teammate again that does not run",
    complete = teammates,
    run = function(words)
      actions.restart(words[1])
    end,
  },
  mode = {
    does = "set how much a member may do unasked",
    complete = function(at)
      return at == 1 and members() or modes()
    end,
    run = function(words)
      if words[2] then
        return actions.set_mode(words[1], words[2])
      end
      actions.choose_mode(words[1] or "team-lead")
    end,
  },
  model = {
    does = "set a member's model",
    complete = members,
    run = function(words)
      if not words[2] then
        return client.say("name a member and a model: :Swarm model NAME MODEL", vim.log.levels.WARN)
      end
      client.request("swarm/member/configure", { member = words[1], model = words[2] })
    end,
  },
  effort = {
    does = "set how hard a member's model thinks",
    complete = function(at)
      return at == 1 and members() or { "low", "medium", "high", "xhigh", "max" }
    end,
    run = function(words)
      if not words[2] then
        return client.say("name a member and an effort: :Swarm effort NAME EFFORT", vim.log.levels.WARN)
      end
      client.request("swarm/member/configure", { member = words[1], effort = words[2] })
    end,
  },
  diff = {
    does = "show what a call that waits would change",
    run = function()
      require("swarm.questions").diff()
    end,
  },
  tasks = {
    does = "choose a task and say what becomes of it",
    run = function()
      actions.tasks()
    end,
  },
  reconnect = {
    does = "end the server and start it anew; the team goes on",
    run = function()
      client.reconnect()
    end,
  },
  spawn = {
    does = "start a teammate: NAME and its task",
    run = starter("spawn"),
  },
  plan = {
    does = "start a teammate that plans first: NAME and its task",
    run = starter("plan", { planModeRequired = true }),
  },
  worktree = {
    does = "start a teammate in a git worktree and branch of its own: NAME and its task",
    run = starter("worktree", { worktree = true }),
  },
  task = {
    does = "add a task to the team's list",
    run = function(_, _, text)
      if text == "" then
        return client.say("name the task: :Swarm task SUBJECT", vim.log.levels.WARN)
      end
      client.request("swarm/task/create", { subject = text })
    end,
  },
  undo = {
    does = "make the workspace what it was before a turn",
    run = function()
      actions.undo()
    end,
  },
  terminal = {
    does = "look at a teammate's terminal",
    run = function()
      require("swarm.terminals").choose()
    end,
  },
  status = {
    does = "show the team as a page",
    run = function()
      client.request(
        "workspace/executeCommand",
        { command = "swarm.status", arguments = {} },
        function(result)
          if result and result.text then
            vim.cmd.new()
            vim.bo.buftype, vim.bo.bufhidden, vim.bo.filetype = "nofile", "wipe", "markdown"
            vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(result.text, "\n"))
          end
        end
      )
    end,
  },
}

local function names()
  local list = vim.tbl_keys(SUBCOMMANDS)
  table.sort(list)
  return list
end

--- Runs `:Swarm …`. What is no subcommand is a prompt.
function M.run(command)
  local words = vim.split(command.args, "%s+", { trimempty = true })
  if #words == 0 then
    return require("swarm.team").toggle()
  end
  local subcommand = SUBCOMMANDS[words[1]]
  if not subcommand then
    return actions.prompt(command.args, nil, selection(command))
  end
  table.remove(words, 1)
  -- A text keeps its spaces as they were typed.
  subcommand.run(words, command, behind_word(command.args))
end

--- Completes the subcommand, then what it takes.
function M.complete(lead, line)
  local words = vim.split(line, "%s+")
  local at = #words - 2
  local candidates = names()
  if at > 0 then
    local subcommand = SUBCOMMANDS[words[2]]
    candidates = subcommand and subcommand.complete and subcommand.complete(at) or {}
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

--- For the help and the health check: each subcommand and what it does.
function M.list()
  return vim.tbl_map(function(name)
    return { name = name, does = SUBCOMMANDS[name].does }
  end, names())
end

return M
