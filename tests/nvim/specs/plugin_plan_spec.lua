-- Plans and tasks in the plugin.
local check = require("check")
local plays = require("plays")
local processes = require("processes")

local function begin(world, play)
  world:write("greeting.txt", { "dear all,", "helo world" })
  world:commit()
  world:play(play)
  world:plug("greeting.txt")
end

return {
  {
    "a plan is rejected with feedback, and the next one approved as the user changed it",
    function(world)
      begin(world, plays.teammate_plans("ada", "They said: One word will do.", "Mend one word, the second."))
      vim.cmd.Swarm("plan ada Mend the greeting.")
      local menu = world.person:menu("swarm_question")
      check.contains(menu.prompt, "ada has a plan", "the menu")
      check.contains(menu.prompt, "Write everything anew.", "the menu")
      world.person.choose(menu, { "reject the plan with feedback" })
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { "One word will do." })
      vim.cmd.write()

      menu = world.person:menu("swarm_question")
      check.contains(menu.prompt, "Mend one word.", "the second plan")
      world.person.choose(menu, { "show the plan" })
      check.contains(vim.api.nvim_buf_get_lines(0, 0, -1, false), "Mend one word.", "its document")
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { "Mend one word, the second." })
      vim.cmd("silent write")
      vim.cmd.tabclose()
      vim.cmd.Swarm("pending")
      world.person.choose(world.person:menu("swarm_question"), { "approve the plan", "edits" })
      vim.cmd.Swarm("conversation ada")
      world.shows("swarm://conversation/ada", "I go to work.")
      check.equal(require("swarm.state").member("ada").mode, "acceptEdits", "ada's mode")
      -- A plan is a file of no project: no other server starts for it.
      check.equal(#processes.descendants("swarm%-ls %-%-stdio"), 1, "servers")
    end,
  },
  {
    "a task is added, seen in the team's window and completed by the user",
    function(world)
      begin(world, { agents = { ["team-lead"] = { { reply = { { say = "Good." } } } } } })
      vim.cmd.Swarm("Wait for me.")
      vim.cmd.Swarm("team")
      world.shows("swarm://team", "team-lead  idle")
      vim.cmd.Swarm("task Look at the greeting")
      world.shows("swarm://team", "Look at the greeting")
      vim.cmd.Swarm("tasks")
      world.person.choose(world.person:menu("swarm_task"), { "Look at the greeting (pending)" })
      world.person.choose(world.person:menu("swarm_task_state"), { "completed" })
      check.eventually("it is completed", function()
        return world.shown("swarm://team"):find("✓ %S+ Look at the greeting")
      end, function()
        return world.shown("swarm://team")
      end)
    end,
  },
}
