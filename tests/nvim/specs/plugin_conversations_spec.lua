-- A member's conversations in the plugin.
local check = require("check")

local BUFFER = "swarm://conversation/team-lead"

return {
  {
    "a new conversation begins empty, and the earlier one is chosen from a list under its title",
    function(world)
      world:write("greeting.txt", { "dear all," })
      world:commit()
      world:play({
        agents = {
          ["team-lead"] = { { reply = { { say = "A heron." } } }, { reply = { { say = "A stork." } } } },
        },
      }, 1)
      world:plug("greeting.txt")
      vim.cmd.Swarm("Which bird?")
      vim.cmd.Swarm("conversation")
      world.shows(BUFFER, "A heron.")
      check.eventually("it rests", function()
        return require("swarm.state").member("team-lead").state == "idle"
      end)

      vim.cmd.Swarm("conversation rename Birds of the lake")
      vim.cmd.Swarm("conversation new")
      world.shows(BUFFER, "Nothing was said to team-lead yet.")
      vim.cmd.Swarm("And now?")
      world.shows(BUFFER, "A stork.")
      check.equal(world.shown(BUFFER):find("heron", 1, true), nil, "what is shown of the earlier one")
      check.eventually("it rests", function()
        return require("swarm.state").member("team-lead").state == "idle"
      end)

      vim.cmd.Swarm("conversation list")
      local menu = world.person:menu("swarm_conversation")
      check.contains(menu.titles[1], "● And now?", "the menu")
      world.person.choose(menu, { "○ Birds of the lake" })
      world.shows(BUFFER, "A heron.")
      check.equal(world.shown(BUFFER):find("stork", 1, true), nil, "what is shown of the later one")
    end,
  },
}
