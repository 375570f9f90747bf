-- A plain Neovim: it announces nothing of ours, and so has only what every LSP editor has.
local check = require("check")
local plays = require("plays")

--- The leader wants to mend line 2, and expects to be told what became of it.
local function greeting(world, told)
  world:write("greeting.txt", { "dear all,", "helo world", "yours" })
  world:commit()
  world:play(plays.leader_edits("greeting.txt", "helo", "hello", told))
  world:connect("greeting.txt")
  vim.cmd.Swarm("Mend the greeting.")
end

--- The question has reached the person in each of the ways a plain editor has.
local function asked(world)
  local menu = world.person:menu("lsp_message")
  check.contains(menu.prompt, "greeting.txt", "the question")
  local marks = check.eventually("a diagnostic", function()
    local marks = world:diagnostics()
    return #marks > 0 and marks
  end)
  check.equal(#marks, 1, "diagnostics")
  check.equal(marks[1].severity, vim.diagnostic.severity.INFO, "the diagnostic's severity")
  check.equal({ marks[1].lnum, marks[1].end_lnum }, { 1, 1 }, "the marked lines")
  return menu
end

--- Waits until nothing is asked any more, in the file or by the server.
local function settled(world)
  check.eventually("the diagnostic is cleared", function()
    return #world:diagnostics() == 0
  end, function()
    return world:diagnostics()
  end)
  check.equal(world:request("swarm/permission/list", vim.empty_dict()).requests, {}, "open questions")
end

local function becomes(world, lines)
  check.eventually("the edit", function()
    return vim.deep_equal(world:lines(), lines)
  end, function()
    return world:lines()
  end)
end

return {
  {
    "a choice in the message's menu is the decision, and the buffer is changed but not saved",
    function(world)
      greeting(world, "not saved")
      local menu = asked(world)
      world.person.choose(menu, { "allow", "!always" })
      becomes(world, { "dear all,", "hello world", "yours" })
      check.equal(vim.bo[world.buffer].modified, true, "the buffer is modified")
      check.equal(world:on_disk("greeting.txt")[2], "helo world", "the line on disk")
      settled(world)
    end,
  },
  {
    "a dismissed menu decides nothing: the question stays a code action on its line until one is chosen",
    function(world)
      greeting(world, "not saved")
      world.person.dismiss(asked(world))
      check.equal(#world:request("swarm/permission/list", vim.empty_dict()).requests, 1, "open questions")
      vim.api.nvim_win_set_cursor(0, { 2, 0 })
      vim.lsp.buf.code_action()
      local menu = world.person:menu("codeaction")
      world.person.choose(menu, { "allow", "!always", "!input" })
      becomes(world, { "dear all,", "hello world", "yours" })
      settled(world)
    end,
  },
  {
    "a menu answered after a code action decided changes nothing and harms nobody",
    function(world)
      greeting(world, "rejected this call")
      local late = asked(world)
      vim.api.nvim_win_set_cursor(0, { 2, 0 })
      vim.lsp.buf.code_action()
      world.person.choose(world.person:menu("codeaction"), { "reject", "!feedback" })
      settled(world)
      world.person.choose(late, { "allow", "!always" })
      world:at_rest()
      check.equal(world:lines()[2], "helo world", "the line")
      settled(world)
    end,
  },
  {
    "unsaved text is what the agent edits, and undo takes the edit back",
    function(world)
      world:write("greeting.txt", { "helo world" })
      world:commit()
      world:play(plays.leader_edits("greeting.txt", "helo typed", "hello typed", "not saved"))
      world:connect("greeting.txt")
      vim.api.nvim_buf_set_lines(world.buffer, 0, 1, false, { "helo typed" })
      -- As leaving insert mode does: what comes next is an undo step of its own.
      vim.bo[world.buffer].undolevels = vim.bo[world.buffer].undolevels
      vim.cmd.Swarm("Mend the greeting.")
      world.person.choose(world.person:menu("lsp_message"), { "allow", "!always" })
      becomes(world, { "hello typed" })
      check.equal(world:on_disk("greeting.txt"), { "helo world" }, "the file on disk")
      world:at_rest()
      vim.cmd("silent undo")
      check.equal(world:lines(), { "helo typed" }, "after undo")
    end,
  },
}
