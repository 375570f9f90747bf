-- What a person sees of the plugin: Neovim's own menus and windows, in a real terminal.
local Screen = require("screen")
local check = require("check")
local plays = require("plays")

local function team(world)
  world:write("greeting.txt", { "dear all,", "helo world", "yours" })
  world:commit()
  world:play(plays.teammate_edits("ada", "greeting.txt", "helo", "hello", "saved it"))
end

--- Runs with a screen, which is gone afterwards whatever happened.
local function on_screen(world, run)
  local screen = Screen.open(world, "greeting.txt")
  local ok, problem = xpcall(run, debug.traceback, screen)
  screen:close()
  assert(ok, problem)
end

return {
  {
    "a person sees the team, a question, its diff and the conversation, and answers by keys",
    function(world)
      team(world)
      on_screen(world, function(screen)
        screen:shows("0 working")
        screen:command("Swarm Have the greeting mended.")
        local text = screen:shows("ada asks: Edit greeting.txt (changes files)")
        check.contains(text, "1: allow", "the menu")
        check.contains(screen:shows("reject with feedback"), "edit the input", "the menu")
        screen:picture("question")

        screen:choose("show")
        local diff = screen:shows("hello world")
        check.contains(diff, "helo world", "the diff")
        screen:picture("diff")
        screen:press("q")

        screen:command("Swarm team")
        screen:shows("? ada  waiting")
        screen:shows("? ada asks: Edit greeting.txt")
        screen:shows("1 needs you")
        screen:picture("team")

        screen:command("Swarm pending")
        screen:choose("allow")
        screen:shows("○ ada  idle")
        screen:press("/ada  idle", { "Enter" }, { "Enter" })
        screen:shows("## to ada")
        screen:shows("✓ Edit greeting.txt")
        screen:shows("So be it.")
        screen:picture("conversation")
        screen:quit()
      end)
      check.equal(world:on_disk("greeting.txt")[2], "hello world", "the file")
    end,
  },
  {
    "who types goes on typing, and is asked when they leave insert mode",
    function(world)
      team(world)
      on_screen(world, function(screen)
        screen:shows("0 working")
        screen:press(":Swarm Have the greeting mended.\r:split notes.txt\rAto buy: tea")
        screen:shows("1 needs you")
        screen:press(" and milk")
        local text = screen:shows("to buy: tea and milk")
        check.contains(text, "INSERT", "the mode")
        check.equal(text:find("1: allow", 1, true), nil, "a menu over what is typed")
        screen:press({ "Escape" })
        screen:choose("allow")
        screen:shows("hello world")
        check.eventually("the edit is saved", function()
          return world:on_disk("greeting.txt")[2] == "hello world"
        end)
        screen:quit()
      end)
    end,
  },
}
