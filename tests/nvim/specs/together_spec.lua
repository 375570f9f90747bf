-- Two Neovims in one repository: both show the team and decide, and the second leads when the first is gone.
local Screen = require("screen")
local check = require("check")
local plays = require("plays")
local processes = require("processes")

--- Runs with two screens, which are gone afterwards whatever happened.
local function on_screens(world, run)
  local screens = { Screen.open(world, "greeting.txt", "one"), Screen.open(world, "greeting.txt", "two") }
  local ok, problem = xpcall(run, debug.traceback, screens[1], screens[2])
  for _, screen in ipairs(screens) do
    screen:close()
  end
  assert(ok, problem)
end

local function play(world)
  world:write("greeting.txt", { "dear all,", "helo world", "yours" })
  world:commit()
  local script = plays.teammate_edits("ada", "greeting.txt", "helo", "hello", "saved it")
  table.insert(script.agents["team-lead"], { reply = { { say = "I am led from here now." } } })
  world:play(script)
end

return {
  {
    "what the first is asked the second answers, and sees the same conversation",
    function(world)
      play(world)
      on_screens(world, function(first, second)
        first:shows("0 working")
        second:shows("0 working")
        -- Room for messages, which else have the person press a key between them.
        second:command("set cmdheight=5")
        first:command("Swarm Have the greeting mended.")
        first:shows("ada asks: Edit greeting.txt (changes files)")
        second:shows("ada asks: Edit greeting.txt (changes files)")
        second:choose("allow")
        second:shows("hello world")
        check.eventually("the edit is saved", function()
          return world:on_disk("greeting.txt")[2] == "hello world"
        end)
        first:press({ "Escape" })
        first:shows("hello world")
        second:command("Swarm team")
        second:shows("○ ada  idle")
        first:command("Swarm team")
        first:shows("○ ada  idle")
        first:quit()
        second:shows("this one leads now")
        second:command("Swarm Are you there?")
        second:command("Swarm conversation")
        second:shows("I am led from here now.")
        second:quit()
        check.equal(processes.wait_for_none("swarm%-ls"), {}, "servers that outlive their editors")
      end)
    end,
  },
}
