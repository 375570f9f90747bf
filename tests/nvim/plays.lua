-- What the scripted model does in the specs; server/script/src/script.rs describes the format.
local M = {}

local function edit(file, old, new)
  local input = { path = "${workspace}/" .. file, old_string = old, new_string = new }
  return { call = { tool = "Edit", input = input } }
end

local function read(file)
  return { call = { tool = "Read", input = { path = "${workspace}/" .. file } } }
end

--- Who edits a file of the workspace: reads it first, as an edit must, and ends when the edit's result holds
--- `told`. `seen` is what it finds there, `old` unless that has several lines.
local function edits(file, old, new, told, seen)
  return {
    { reply = { { say = "I look at it." }, read(file) } },
    { expect = seen or old, reply = { edit(file, old, new) } },
    { expect = told, reply = { { say = "So be it." } } },
  }
end

--- The leader does it alone.
function M.leader_edits(file, old, new, told)
  return { agents = { ["team-lead"] = edits(file, old, new, told) } }
end

--- The leader has a teammate do it.
function M.teammate_edits(name, file, old, new, told, seen)
  local spawn = { name = name, prompt = ("Mend %s."):format(file) }
  return {
    agents = {
      ["team-lead"] = {
        { reply = { { call = { tool = "SpawnTeammate", input = spawn } } } },
        { reply = { { say = name .. " is on it." } } },
      },
      [name] = edits(file, old, new, told, seen),
    },
  }
end

--- A teammate whose plan is rejected, and then approved: it goes to work by the second one.
function M.teammate_plans(name, why, approved)
  local function present(plan)
    return { call = { tool = "ExitPlanMode", input = { plan = plan } } }
  end
  return {
    agents = {
      [name] = {
        { reply = { present("Write everything anew.") } },
        { expect = why, reply = { present("Mend one word.") } },
        { expect = approved, reply = { { say = "I go to work." } } },
      },
    },
  }
end

return M
