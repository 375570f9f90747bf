-- What Neovim's other language servers know of the code reaches the agents that ask for it.
local check = require("check")

--- A language server inside this Neovim, which counts bytes and knows one name.
local function other_server(uri)
  local function answer(method)
    if method == "initialize" then
      local can = { definitionProvider = true, referencesProvider = true, positionEncoding = "utf-8" }
      return { capabilities = can }
    elseif method == "textDocument/definition" then
      local range = { start = { line = 1, character = 6 }, ["end"] = { line = 1, character = 11 } }
      return { uri = uri, range = range }
    elseif method == "textDocument/references" then
      return {}
    end
  end
  local asked = {}
  local function cmd()
    local closing = false
    return {
      request = function(method, params, callback)
        asked[method] = params
        vim.schedule(function()
          callback(nil, answer(method))
        end)
        return true, 1
      end,
      notify = function()
        return true
      end,
      is_closing = function()
        return closing
      end,
      terminate = function()
        closing = true
      end,
    }
  end
  return { name = "other", cmd = cmd }, asked
end

return {
  {
    "diagnostics and definitions of another server are what the agent's tools tell",
    function(world)
      local place = { path = "${workspace}/a.txt", line = 1, name = "total" }
      local function look(tool, input)
        return { reply = { { call = { tool = tool, input = input } } } }
      end
      world:play({
        agents = {
          ["team-lead"] = {
            look("Diagnostics", vim.empty_dict()),
            look("Definition", place),
            look("References", place),
            { reply = { { say = "I see." } } },
          },
        },
      })
      world:write("a.txt", { "é total", "é def total" })
      world:commit()
      world:plug("a.txt", { ask = "none" })
      local config, asked = other_server(vim.uri_from_bufnr(0))
      vim.lsp.start(config)
      vim.diagnostic.set(vim.api.nvim_create_namespace("other"), 0, {
        { lnum = 1, col = 3, severity = vim.diagnostic.severity.WARN, message = "odd", source = "checker" },
      })
      vim.cmd.Swarm("What do you know?")
      local function results()
        local found = {}
        for _, entry in ipairs(world:request("swarm/transcript", vim.empty_dict()).entries) do
          for _, result in ipairs(entry.results or {}) do
            table.insert(found, result.content)
          end
        end
        return #found == 3 and found
      end
      local told = check.eventually("three results", results)
      check.equal(told[1], "a.txt:2: warning: odd [checker]\n", "the diagnostics")
      check.equal(told[2], "a.txt:2: é def total\n", "the definition")
      check.equal(asked["textDocument/definition"].position.character, 3, "where it was asked, in bytes")
      check.equal(told[3], "[The editor's servers know no such place for `total`.]", "the uses")
    end,
  },
}
