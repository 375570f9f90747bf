-- Runs the specs with a real Neovim: nvim --headless -u NONE -l tests/nvim/run.lua [SPEC...]
--
-- Each spec file gets a Neovim of its own, as a user's would be; this one starts them, counts, and sees to it
-- that nothing they started outlives them. `swarm-ls` is the one on PATH; SWARM_SCRIPT_SERVE is the program
-- that plays the model.
local folder = vim.fs.dirname(vim.fs.abspath(arg[0]))
package.path = folder .. "/?.lua;" .. package.path
local processes = require("processes")

-- A spec that waits for something waits 20 s at most; a whole file takes well under this.
local MOST_MILLISECONDS = 180000

local specs = #arg > 0 and { unpack(arg) }
  or vim.fn.sort(vim.fn.glob(folder .. "/specs/*_spec.lua", true, true))
assert(#specs > 0, "no specs in " .. folder)
processes.adopt_orphans()

-- Neovim's own state, too, must not be the person's.
local home = vim.fn.tempname()
local environment = {}
for name, place in pairs({ XDG_CONFIG_HOME = "config", XDG_DATA_HOME = "data", XDG_STATE_HOME = "state" }) do
  environment[name] = home .. "/" .. place
end

local function say(text, ...)
  io.stdout:write(text:format(...), "\n")
end

local passed, failed = 0, 0
for _, spec in ipairs(specs) do
  say("\n%s", vim.fs.basename(spec))
  local command = { vim.v.progpath, "--headless", "-u", "NONE", "-i", "NONE", "-n" }
  vim.list_extend(command, { "-l", folder .. "/spec.lua", vim.fs.abspath(spec) })
  local result = vim.system(command, { text = true, env = environment, timeout = MOST_MILLISECONDS }):wait()
  io.stdout:write(result.stdout, result.stderr)
  local ok, bad = result.stdout:match("(%d+) passed, (%d+) failed%s*$")
  passed, failed = passed + (tonumber(ok) or 0), failed + (tonumber(bad) or 0)
  if not ok or result.code ~= (tonumber(bad) == 0 and 0 or 1) then
    failed = failed + 1
    say("FAILED: this Neovim ended with code %d, signal %d", result.code, result.signal)
  end
  local left = processes.wait_for_none()
  if #left > 0 then
    failed = failed + 1
    say("FAILED: still running after this Neovim ended:\n  %s", table.concat(left, "\n  "))
  end
end

vim.fn.delete(home, "rf")
say("\n%d passed, %d failed", passed, failed)
os.exit(failed == 0 and passed > 0 and 0 or 1)
