-- A team at work under a Neovim that follows events and saves when asked: the README's second snippet.
local check = require("check")
local plays = require("plays")

local EVENTS = { experimental = { swarm = { events = true } } }

local function team(world)
  world:write("greeting.txt", { "dear all,", "helo world" })
  world:commit()
  world:play(plays.teammate_edits("ada", "greeting.txt", "helo", "hello", "saved it"))
  world:connect("greeting.txt", { "swarm/editor/save" }, EVENTS)
  world:command("swarm.prompt", { { text = "Have the greeting mended." } })
end

return {
  {
    "a teammate's edit is asked for in the leader's editor, allowed by a code action, and saved",
    function(world)
      team(world)
      local request = world:event("ada's question", function(event)
        return event.kind == "permissionRequested"
      end).request
      check.equal(request.workerName, "ada", "who asks")
      check.contains(world.person:menu("lsp_message").prompt, "ada", "the message")
      check.eventually("a diagnostic", function()
        return #world:diagnostics() == 1
      end)
      vim.api.nvim_win_set_cursor(0, { 2, 0 })
      vim.lsp.buf.code_action()
      local menu = world.person:menu("codeaction")
      world.person.choose(menu, { "ada", "allow", "!always", "!input" })
      check.eventually("the edit is saved", function()
        return world:on_disk("greeting.txt")[2] == "hello world"
      end, function()
        return { buffer = world:lines(), disk = world:on_disk("greeting.txt") }
      end)
      check.equal(world:lines(), { "dear all,", "hello world" }, "the buffer")
      check.equal(vim.bo[world.buffer].modified, false, "the buffer is modified")
      local ended = world:event("ada's turn ends", function(event)
        return event.kind == "turnEnded" and vim.startswith(event.member, "ada@")
      end)
      check.equal(ended.reason, "completed", "how ada's turn ends")
    end,
  },
  {
    "a teammate's question stays open while the leader is asked for its state",
    function(world)
      team(world)
      world.person:menu("lsp_message")
      local state = world:request("swarm/state", vim.empty_dict())
      check.equal(#state.permissions, 1, "open questions")
      local states = {}
      for _, member in ipairs(state.members) do
        states[member.name] = member.state
      end
      check.equal(states.ada, "waiting", "ada's state")
    end,
  },
  {
    "a server that is left with an open question ends, and everything it started with it",
    function(world)
      team(world)
      world.person:menu("lsp_message")
      world:leave()
    end,
  },
}
