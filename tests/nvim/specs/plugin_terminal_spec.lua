-- A teammate in a terminal of Neovim: shown, edits what is open, and ends with its terminal or with Neovim.
local check = require("check")
local plays = require("plays")
local processes = require("processes")

local TEAMMATE = "swarm%-ls teammate"

local function in_terminal(world)
  world:write("greeting.txt", { "dear all,", "helo world" })
  world:commit()
  world:play(plays.teammate_edits("ada", "greeting.txt", "helo", "hello", "saved it"))
  world:plug("greeting.txt", { ask = "none" })
  local spawn = { name = "ada", prompt = "Mend greeting.txt.", backend = "editor-terminal" }
  check.equal(world:request("swarm/teammate/spawn", spawn).backend, "editor-terminal", "the backend")
  return check.eventually("ada's question", function()
    return require("swarm.state").now.permissions[1]
  end)
end

local function terminal()
  return vim.iter(vim.api.nvim_list_bufs()):find(function(buffer)
    return vim.bo[buffer].buftype == "terminal"
  end)
end

return {
  {
    "a teammate in a terminal of Neovim edits what is open, and closing the terminal ends it",
    function(world)
      local question = in_terminal(world)
      check.equal(#processes.descendants(TEAMMATE), 1, "processes of teammates")
      check.equal(#vim.fn.win_findbuf(terminal()), 1, "windows of the terminal")
      world:request("swarm/teammate/hide", { member = "ada" })
      check.equal(#vim.fn.win_findbuf(terminal()), 0, "windows of the hidden terminal")
      world:request("swarm/teammate/show", { member = "ada" })
      check.equal(#vim.fn.win_findbuf(terminal()), 1, "windows of the shown terminal")
      world:request("swarm/permission/resolve", { ids = { question.id }, decision = "allow" })
      check.eventually("the edit", function()
        return world:lines()[2] == "hello world"
      end)
      check.eventually("ada rests", function()
        return require("swarm.state").member("ada").state == "idle"
      end)
      vim.api.nvim_buf_delete(terminal(), { force = true })
      check.eventually("ada is gone", function()
        return require("swarm.state").member("ada").state == "gone"
      end)
      check.equal(processes.wait_for_none(TEAMMATE), {}, "processes left")
    end,
  },
  {
    "leaving Neovim ends the teammates in its terminals",
    function(world)
      in_terminal(world)
      world:leave()
      check.equal(processes.wait_for_none(TEAMMATE), {}, "processes left")
      world.model:kill("sigterm")
      world.model = nil
    end,
  },
}
