-- Runs one spec file in this Neovim. A spec returns a list of { sentence, function(world) }; each function
-- gets a fresh world, and what it leaves open is closed for it.
local folder = vim.fs.dirname(vim.fs.abspath(arg[0]))
package.path = folder .. "/?.lua;" .. package.path
local World = require("world")

-- A server whose editor was killed stays in our sight.
require("processes").adopt_orphans()

vim.cmd("filetype on")
-- What a person would see as a message belongs into the report of a failure.
vim.lsp.log.set_level(vim.log.levels.WARN)

local function say(text, ...)
  io.stdout:write(text:format(...), "\n")
end

local passed, failed = 0, 0
for _, case in ipairs(dofile(arg[1])) do
  local sentence, run = unpack(case)
  local world = World.new()
  local ok, problem = xpcall(run, debug.traceback, world)
  local closed, leftover = xpcall(world.close, debug.traceback, world)
  if ok and closed then
    passed = passed + 1
    say("ok: %s", sentence)
  else
    failed = failed + 1
    say("FAILED: %s\n%s\n%s", sentence, ok and leftover or problem, world:report())
  end
  world:remove()
end
say("%d passed, %d failed", passed, failed)
os.exit(failed == 0 and 0 or 1)
