-- However an editor ends, with a question open and a teammate at work, its server ends with it.
local Second = require("second")
local check = require("check")
local plays = require("plays")
local processes = require("processes")

local function asked(world)
  world:write("greeting.txt", { "helo world" })
  world:commit()
  world:play(plays.teammate_edits("ada", "greeting.txt", "helo", "hello"))
  local second = Second.ask(world, "greeting.txt", "Have the greeting mended.")
  check.equal(#processes.descendants("swarm%-ls"), 1, "servers while the question is open")
  return second
end

local function all_ends(second)
  second:gone()
  check.equal(processes.wait_for_none("swarm%-ls"), {}, "servers that outlive their editor")
end

return {
  {
    "an editor that quits takes its server along",
    function(world)
      local second = asked(world)
      second:quit()
      all_ends(second)
    end,
  },
  {
    "an editor that is killed takes its server along",
    function(world)
      local second = asked(world)
      second:kill()
      all_ends(second)
    end,
  },
}
