-- Two projects in one Neovim: each has its server and its team, and the user sees the one they are in.
local check = require("check")

--- The leader of either makes a file, which it has to ask for.
local function makes()
  return {
    { reply = { { call = { tool = "Bash", input = { command = "touch made.txt" } } } } },
    { reply = { { say = "It is made." } } },
  }
end

local function state()
  return require("swarm.state")
end

local function team_of(world, name)
  world.shows("swarm://team", "Team " .. name)
end

local function asked()
  return check.eventually("a question", function()
    return state().now.permissions[1]
  end)
end

return {
  {
    "the windows show the team of the user's project, and answers go where the question came from",
    function(world)
      local other = world.folder .. "/other"
      vim.fn.mkdir(other .. "/.swarm", "p")
      vim.fn.writefile({ "other" }, other .. "/other.txt")
      world:write("first.txt", { "first" })
      world:commit()
      world:play({ agents = { ["team-lead@work-space"] = makes(), ["team-lead@other"] = makes() } })
      world:plug("first.txt", { ask = "none" })
      vim.cmd.Swarm("Make it.")
      local first = asked()
      vim.cmd.Swarm("team")
      team_of(world, "work-space")
      vim.cmd.Swarm("conversation")
      world.shows("swarm://conversation/team-lead", "<CR> answers")

      vim.cmd.edit(vim.fn.fnameescape(other .. "/other.txt"))
      check.eventually("another server", function()
        return #vim.lsp.get_clients({ name = "swarm", bufnr = 0 }) == 1
      end)
      world.shows("swarm://team", "Nobody works yet")
      check.equal(#state().now.permissions, 0, "questions of a project without a team")
      world.shows("swarm://conversation/team-lead", "Nothing was said")
      vim.cmd.Swarm("And now here.")
      team_of(world, "other")
      local second = asked()
      check.equal(second.client ~= first.client, true, "whose the second question is")

      -- The first is answered from here.
      require("swarm.questions").decide(first, "allow")
      check.eventually("its file", function()
        return vim.fn.filereadable(world.workspace .. "/made.txt") == 1
      end)
      check.equal(vim.fn.filereadable(other .. "/made.txt"), 0, "the file of the other")
      check.equal(state().now.permissions, { second }, "what waits here")

      vim.cmd.buffer(world.buffer)
      team_of(world, "work-space")
      world.shows("swarm://conversation/team-lead", "It is made.")
      check.equal(#state().now.permissions, 0, "what waits in the first")
    end,
  },
}
