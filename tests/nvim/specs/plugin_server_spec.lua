-- The plugin beside a server that is slow, killed or started anew, and events that were lost.
local check = require("check")
local plays = require("plays")
local processes = require("processes")

local function team(world, options, told)
  world:write("greeting.txt", { "dear all,", "helo world" })
  world:commit()
  world:play(plays.teammate_edits("ada", "greeting.txt", "helo", "hello", told or "saved it"))
  world:plug("greeting.txt", options or { ask = "none" })
end

local function asked()
  return check.eventually("ada's question", function()
    return require("swarm.state").now.permissions[1]
  end)
end

local function server()
  local found = processes.descendants("swarm%-ls %-%-stdio")
  check.equal(#found, 1, "servers")
  return tonumber(found[1]:match("^%d+"))
end

--- What a person does may take this long before it is felt, on a busy machine.
local MOST_MILLISECONDS = 500

local function at_once(what, deed)
  local began = vim.uv.hrtime()
  deed()
  local milliseconds = (vim.uv.hrtime() - began) / 1e6
  if milliseconds > MOST_MILLISECONDS then
    error(("%s took %d ms"):format(what, milliseconds))
  end
end

return {
  {
    "an event that was lost is seen by its gap, and everything is read anew",
    function(world)
      team(world)
      local take, lost = require("swarm.state").event, 0
      -- The question and all before it never come.
      require("swarm.state").event = function(params)
        if params.event.kind == "toolStarted" and params.event.member:match("^ada@") then
          require("swarm.state").event = take
        end
        lost = lost + 1
      end
      vim.cmd.Swarm("Have the greeting mended.")
      check.eventually("lost events", function()
        return lost > 3 and require("swarm.state").event == take
      end)
      check.equal(asked().workerName, "ada", "who asks")
      check.eventually("ada in the team", function()
        return require("swarm.state").member("ada")
      end)
    end,
  },
  {
    "another conversation whose news was lost is shown after the gap",
    function(world)
      world:write("greeting.txt", { "dear all," })
      world:commit()
      local say = function(text)
        return { reply = { { say = text } } }
      end
      world:play({ agents = { ["team-lead"] = { say("A heron."), say("A stork.") } } }, 1)
      world:plug("greeting.txt")
      local function rests()
        check.eventually("it rests", function()
          local lead = require("swarm.state").member("team-lead")
          return lead and lead.state == "idle"
        end)
      end
      vim.cmd.Swarm("Which bird?")
      vim.cmd.Swarm("conversation")
      world.shows("swarm://conversation/team-lead", "A heron.")
      rests()
      local take, lost = require("swarm.state").event, false
      require("swarm.state").event = function(params, client_id)
        if params.event.kind == "conversationChanged" then
          lost = true
        else
          take(params, client_id)
        end
      end
      world:request("swarm/conversation/new", vim.empty_dict())
      vim.cmd.Swarm("And now?")
      world.shows("swarm://conversation/team-lead", "A stork.")
      require("swarm.state").event = take
      check.equal(lost, true, "the news was lost")
      local text = world.shown("swarm://conversation/team-lead")
      check.equal(text:find("heron", 1, true), nil, "what is shown of the earlier one")
      rests()
    end,
  },
  {
    "nothing that a person does waits for a server that stands still",
    function(world)
      team(world, nil, "rejected this call")
      vim.cmd.Swarm("Have the greeting mended.")
      asked()
      local pid = server()
      vim.uv.kill(pid, "sigstop")
      local ok, problem = pcall(function()
        at_once("a prompt", function()
          vim.cmd.Swarm("And now the rest.")
        end)
        at_once("typing", function()
          vim.api.nvim_buf_set_lines(world.buffer, 0, 1, false, { "dear everyone," })
          vim.cmd("silent write")
        end)
        at_once("the team's window", function()
          vim.cmd.Swarm("team")
        end)
        at_once("a conversation", function()
          vim.cmd.Swarm("conversation ada")
        end)
        at_once("an answer", function()
          require("swarm.questions").decide(require("swarm.state").now.permissions[1], "reject")
        end)
      end)
      vim.uv.kill(pid, "sigcont")
      assert(ok, problem)
      world.shows("swarm://conversation/ada", "I look at it.")
      check.eventually("the answer counts", function()
        return #require("swarm.state").now.permissions == 0
      end)
    end,
  },
  {
    "a killed server is shown as gone, and after reconnecting the team is there again",
    function(world)
      -- Who was cut off goes on when the next server comes at once.
      team(world, nil, "The server ended")
      vim.cmd.Swarm("Have the greeting mended.")
      asked()
      vim.cmd.Swarm("team")
      vim.uv.kill(server(), "sigkill")
      check.eventually("its end", function()
        return world.exits[1]
      end)
      world.shows("swarm://team", "Nobody works yet")
      check.equal(require("swarm").status(), "", "the status line")
      world.exits = {}
      vim.api.nvim_set_current_win(vim.fn.win_findbuf(world.buffer)[1])
      vim.cmd.Swarm("reconnect")
      world.client = check.eventually("another server", function()
        return vim.lsp.get_clients({ name = "swarm", bufnr = world.buffer })[1]
      end)
      world.shows("swarm://team", "ada")
      vim.cmd.Swarm("reconnect")
      local first = world.client.id
      world.client = check.eventually("a third server", function()
        local now = vim.lsp.get_clients({ name = "swarm", bufnr = world.buffer })[1]
        return now and now.id ~= first and now
      end)
      check.equal(world.exits, { { code = 0, signal = 0 } }, "the exit of the second")
      world.exits = {}
      world.shows("swarm://team", "ada")
    end,
  },
  {
    "no menu opens over what the user types: it is asked when they are done",
    function(world)
      team(world, { ask = "menu" })
      local mode = vim.api.nvim_get_mode
      vim.api.nvim_get_mode = function()
        return { mode = "i", blocking = false }
      end
      vim.cmd.Swarm("Have the greeting mended.")
      asked()
      check.equal(#world.person.menus, 0, "menus while the user types")
      vim.api.nvim_get_mode = mode
      vim.api.nvim_exec_autocmds("ModeChanged", { pattern = "i:n" })
      check.contains(world.person:menu("swarm_question").prompt, "ada asks", "the menu")
    end,
  },
  {
    "feedback is written in a buffer, and reaches the member with the rejection",
    function(world)
      team(world, nil, "Not this line")
      vim.cmd.Swarm("Have the greeting mended.")
      asked()
      vim.cmd.Swarm("diff")
      world.shows("swarm://after/", "hello world")
      vim.cmd.tabclose()
      vim.cmd.Swarm("pending")
      world.person.choose(world.person:menu("swarm_question"), { "reject with feedback" })
      vim.cmd("silent! write")
      check.equal(#require("swarm.state").now.permissions, 1, "questions after nothing was written")
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { "Not this line,", "the other." })
      vim.cmd.write()
      vim.cmd.Swarm("conversation ada")
      world.shows("swarm://conversation/ada", "So be it.")
      local text = world.shown("swarm://conversation/ada")
      check.equal(select(2, text:gsub("So be it", "")), 1, "how often the last words are shown")
    end,
  },
}
