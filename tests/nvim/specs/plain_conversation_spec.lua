-- The conversation as a document in a Neovim without the plugin: the user writes, sends and reads there.
local check = require("check")

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local function holds(words)
  check.eventually(words, function()
    return text():find(words, 1, true)
  end)
end

local function send(client)
  local done
  local params = { command = "swarm.send", arguments = { { uri = vim.uri_from_bufnr(0) } } }
  client:request("workspace/executeCommand", params, function(problem)
    done = problem and problem.message or "sent"
  end)
  check.eventually("the answer", function()
    return done
  end)
  check.equal(done, "sent", "what the server says")
end

return {
  {
    "what is written in the document is sent, and the answer comes while the user types on",
    function(world)
      world:write("greeting.txt", { "helo world" })
      world:commit()
      world:play({
        agents = {
          ["team-lead"] = {
            { reply = { { say = "I hear you." } } },
            { reply = { { say = "Once more." } } },
          },
        },
      })
      world:connect("greeting.txt")
      local client = world.client
      vim.cmd.Swarm()
      check.eventually("the document", function()
        return vim.api.nvim_buf_get_name(0):find("conversation.md", 1, true)
      end)
      check.eventually("the server that shows it has it", function()
        return vim.lsp.buf_is_attached(0, client.id)
      end)
      check.equal(#vim.lsp.get_clients({ name = "swarm" }), 1, "servers")
      holds("## To team-lead: write below, then send")
      vim.api.nvim_buf_set_lines(0, -1, -1, false, { "Are you there?" })
      send(client)
      vim.api.nvim_buf_set_lines(0, -1, -1, false, { "And I type on" })
      holds("I hear you.")
      check.eventually("the draft below the heading", function()
        local below = text():match("write below, then send\n(.*)$")
        return below and not below:find("Are you there?", 1, true) and below:find("And I type on", 1, true)
      end)
      send(client)
      holds("Once more.")
      local _, times = text():gsub("And I type on", "")
      check.equal(times, 1, "how often the second message is there")
    end,
  },
}
