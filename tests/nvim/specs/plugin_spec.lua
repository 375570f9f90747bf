-- The plugin: its command, its windows, its questions, as a person uses them.
local check = require("check")
local plays = require("plays")

local function team(world, told, options)
  world:write("greeting.txt", { "dear all,", "helo world" })
  world:commit()
  world:play(plays.teammate_edits("ada", "greeting.txt", "helo", "hello", told))
  world:plug("greeting.txt", options)
  vim.cmd.Swarm("prompt Have the greeting mended.")
end

local function press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), "mx", false)
end

--- Puts the cursor on the first line that holds `words` in the buffer that is shown now.
local function go_to(words)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    if line:find(words, 1, true) then
      vim.api.nvim_win_set_cursor(0, { number, 0 })
      return
    end
  end
  error(("no line holds %s"):format(words))
end

local function mended(world)
  check.eventually("the edit is saved and shown", function()
    return world:on_disk("greeting.txt")[2] == "hello world" and world:lines()[2] == "hello world"
  end, function()
    return { buffer = world:lines(), disk = world:on_disk("greeting.txt") }
  end)
  check.equal(vim.bo[world.buffer].modified, false, "the buffer is modified")
end

return {
  {
    "a question opens a menu; the team and the conversation show what happens",
    function(world)
      team(world, "saved it")
      vim.cmd.Swarm("team")
      vim.cmd.Swarm("conversation ada")
      local menu = world.person:menu("swarm_question")
      check.contains(menu.prompt, "ada asks: Edit greeting.txt", "the menu")
      world.shows("swarm://team", "? ada  waiting")
      world.shows("swarm://team", "Waiting for you")
      world.shows("swarm://conversation/ada", "I look at it.")
      world.shows("swarm://conversation/ada", "<CR> answers")
      check.equal(require("swarm").status():match("1 needs you"), "1 needs you", "the status line")
      world.person.choose(menu, { "allow", "!always" })
      mended(world)
      world.shows("swarm://conversation/ada", "So be it.")
      world.shows("swarm://team", "○ ada  idle")
      -- The result of a call is shown where one asks for it.
      world.shows("swarm://conversation/ada", "✓ Edit")
      local text, buffer = world.shown("swarm://conversation/ada")
      check.equal(text:find("saved it", 1, true), nil, "the result before it is opened")
      vim.api.nvim_set_current_win(vim.fn.win_findbuf(buffer)[1])
      go_to("✓ Edit")
      press("<CR>")
      world.shows("swarm://conversation/ada", "saved it")
    end,
  },
  {
    "a teammate gets a git worktree where one is wanted, and the team shows its branch",
    function(world)
      world:write("greeting.txt", { "dear all," })
      world:commit()
      local say = function(text)
        return { reply = { { say = text } } }
      end
      world:play({ agents = { ["team-lead"] = { say("I see.") }, ada = { say("I look at it.") } } })
      world:plug("greeting.txt")
      vim.cmd.Swarm("team")
      vim.cmd.Swarm("worktree ada Look at the greeting.")
      world.shows("swarm://team", "○ ada  idle")
      world.shows("swarm://team", "    on swarm/work-space/ada")
      world:at_rest()
    end,
  },
  {
    "without a menu a question waits, and is shown as a diff and answered by a key",
    function(world)
      team(world, "saved it", { ask = "none" })
      vim.cmd.Swarm("team")
      world.shows("swarm://team", "? ada asks: Edit greeting.txt")
      check.equal(#world.person.menus, 0, "menus")
      go_to("? ada asks")
      press("<CR>")
      world.person.choose(world.person:menu("swarm_question"), { "show" })
      check.equal(#vim.api.nvim_list_tabpages(), 2, "tabs")
      check.equal(vim.wo.diff, true, "the diff")
      world.shows("swarm://after/", "hello world")
      world.shows("swarm://before/", "helo world")
      -- Closing it answers nothing.
      press("q")
      check.equal(#world:request("swarm/permission/list", vim.empty_dict()).requests, 1, "open questions")
      vim.cmd.Swarm("pending")
      world.person.choose(world.person:menu("swarm_question"), { "show" })
      press("ga")
      mended(world)
    end,
  },
  {
    "a change is allowed in parts: the hunk that the person leaves out is not made",
    function(world)
      world:write("greeting.txt", { "dear all,", "helo world", "and", "helo moon" })
      world:commit()
      local old, new = "helo world\nand\nhelo moon", "hello world\nand\nhello moon"
      world:play(plays.teammate_edits("ada", "greeting.txt", old, new, "The user changed the input", "helo"))
      world:plug("greeting.txt", { ask = "none" })
      vim.cmd.Swarm("Have the greeting mended.")
      check.eventually("a question", function()
        return #require("swarm.state").now.permissions == 1
      end)
      vim.cmd.Swarm("diff")
      go_to("hello world")
      press("x")
      go_to("and")
      press("x")
      go_to("hello moon")
      press("x")
      -- Nothing is left of it, so nothing is sent.
      press("ga")
      check.equal(#vim.api.nvim_list_tabpages(), 2, "tabs")
      go_to("hello moon")
      press("x")
      press("ga")
      local wanted = { "dear all,", "helo world", "and", "hello moon" }
      check.eventually("the second hunk alone", function()
        return vim.deep_equal(world:on_disk("greeting.txt"), wanted)
      end, function()
        return world:on_disk("greeting.txt")
      end)
      world:at_rest()
    end,
  },
  {
    "an input that the person changes is what runs, and one that is no JSON is not sent",
    function(world)
      team(world, "The user changed the input")
      world.person.choose(world.person:menu("swarm_question"), { "edit the input" })
      local input = vim.json.decode((world.shown("swarm://input/ada")))
      input.new_string = "hello"
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { "{" })
      vim.cmd("silent! write")
      check.equal(#world:request("swarm/permission/list", vim.empty_dict()).requests, 1, "open questions")
      input.new_string = "hullo"
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { vim.json.encode(input) })
      vim.cmd.write()
      check.eventually("the changed edit", function()
        return world:on_disk("greeting.txt")[2] == "hullo world"
      end)
    end,
  },
  {
    "a prompt is written in a buffer, a member is stopped and a turn is undone",
    function(world)
      team(world, "saved it")
      world.person.choose(world.person:menu("swarm_question"), { "allow", "!always" })
      mended(world)
      world:at_rest()
      vim.cmd.Swarm("undo")
      local menu = world.person:menu("swarm_checkpoint")
      world.person.choose(menu, { "ada", "Edit greeting.txt" })
      check.eventually("what it was", function()
        return world:on_disk("greeting.txt")[2] == "helo world" and world:lines()[2] == "helo world"
      end, function()
        return { disk = world:on_disk("greeting.txt"), buffer = world:lines() }
      end)
      vim.cmd.Swarm("team")
      go_to("ada")
      press("s")
      world.person.choose(world.person:menu("swarm_stop"), { "at once" })
      world.shows("swarm://team", "ada  killed")
    end,
  },
  {
    "lines of a range go with a prompt as they are in the buffer, also to a member that is written to",
    function(world)
      world:write("greeting.txt", { "dear all,", "helo world", "yours" })
      world:commit()
      world:play({
        agents = {
          ["team-lead"] = {
            {
              expect = { "What is wrong here?", "helo unsaved" },
              reply = { { say = "A letter is missing." } },
            },
            { expect = { "And there?", "yours" }, reply = { { say = "Nothing." } } },
          },
        },
      })
      world:plug("greeting.txt")
      vim.api.nvim_buf_set_lines(world.buffer, 1, 2, false, { "helo unsaved" })
      vim.cmd("2Swarm prompt What is wrong here?")
      vim.cmd.Swarm("conversation")
      world.shows("swarm://conversation/team-lead", "A letter is missing.")
      world:at_rest()
      vim.api.nvim_set_current_win(vim.fn.win_findbuf(world.buffer)[1])
      vim.cmd("3Swarm message team-lead And there?")
      world.shows("swarm://conversation/team-lead", "Nothing.")
      world:at_rest()
    end,
  },
  {
    "completion offers subcommands, members and modes",
    function(world)
      team(world, "saved it", { ask = "none" })
      check.eventually("ada", function()
        return require("swarm.state").member("ada")
      end)
      local function completed(line)
        return vim.fn.getcompletion(line, "cmdline")
      end
      check.equal(completed("Swarm inter"), { "interrupt" }, "a subcommand")
      check.equal(completed("Swarm stop "), { "ada" }, "teammates")
      check.equal(completed("Swarm mode ada acc"), { "acceptEdits" }, "modes")
      vim.cmd.Swarm("mode ada acceptEdits")
      -- The waiting question is decided by it.
      mended(world)
    end,
  },
  {
    "a terminal runs a list of arguments, and its end is told",
    function(world)
      team(world, "saved it", { ask = "none" })
      local told = {}
      world.client.notify = function(_, method, params)
        table.insert(told, { method, params })
      end
      local terminals = require("swarm.terminals")
      local opened = terminals.open({
        title = "ada",
        command = "sh",
        args = { "-c", 'printf %s "$1"; read x; exit 3', "sh", "a $(b) c" },
        cwd = world.workspace,
        env = { X = "1" },
      }, world.client.id)
      world.shows("swarm://terminal/ada", "a $(b) c")
      terminals.hide({ terminalId = opened.terminalId })
      local _, buffer = world.shown("swarm://terminal/ada")
      check.equal(vim.fn.win_findbuf(buffer), {}, "windows of a hidden terminal")
      terminals.show({ terminalId = opened.terminalId })
      check.equal(#vim.fn.win_findbuf(buffer), 1, "windows of a shown terminal")
      vim.api.nvim_chan_send(vim.bo[buffer].channel, "\r")
      check.eventually("its end", function()
        return told[1]
      end)
      check.equal(
        told[1],
        { "swarm/terminal/closed", { terminalId = opened.terminalId, exitCode = 3 } },
        "what the server is told"
      )
      world.client.notify = nil
      local _, problem = terminals.show({ terminalId = opened.terminalId })
      check.contains(problem.message, "no terminal", "a terminal that is gone")
    end,
  },
  {
    "the health check and the help are there",
    function(world)
      team(world, "saved it", { ask = "none" })
      vim.cmd("checkhealth swarm")
      local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
      check.contains(text, "swarm-ls 0.1.0", "the health check")
      check.contains(text, "the server runs in", "the health check")
      check.equal(text:match("ERROR"), nil, "errors")
      vim.cmd("helptags " .. vim.fn.fnameescape(vim.api.nvim_get_runtime_file("doc", true)[1]))
      vim.cmd.help("swarm")
      check.contains(vim.api.nvim_buf_get_name(0), "swarm.txt", "the help")
    end,
  },
}
