--- `:checkhealth swarm`.
local M = {}

function M.check()
  vim.health.start("swarm")
  if vim.fn.has("nvim-0.11") == 1 then
    vim.health.ok("Neovim " .. tostring(vim.version()))
  else
    vim.health.error("Neovim is older than 0.11", { "swarm uses vim.lsp.config, which 0.11 has" })
  end
  local program = require("swarm").options.cmd[1]
  if vim.fn.executable(program) == 0 then
    vim.health.error(("`%s` is not found"):format(program), {
      "put the server on PATH, or name it in the option `cmd`: { '/path/to/swarm-ls', '--stdio' }",
    })
    return
  end
  local version = vim.system({ program, "--version" }, { text = true, timeout = 5000 }):wait()
  if version.code == 0 then
    vim.health.ok(vim.trim(version.stdout) .. ": " .. vim.fn.exepath(program))
  else
    vim.health.error(("`%s --version` failed: %s"):format(program, version.stderr))
  end
  local client = require("swarm.client").get()
  if not client then
    vim.health.warn("no server runs", { "open a file of a project; was require('swarm').setup() called?" })
    return
  end
  local swarm = vim.tbl_get(client.server_capabilities, "experimental", "swarm")
  if swarm and swarm.version == "1" then
    vim.health.ok("the server runs in " .. tostring(client.root_dir))
  else
    vim.health.error(
      "the server speaks another version of the protocol",
      { "update swarm-ls or this plugin" }
    )
  end
  local doctor = vim.system({ program, "doctor" }, { text = true, timeout = 20000 }):wait()
  for line in (doctor.stdout or ""):gmatch("[^\n]+") do
    if line:match("^!!") then
      vim.health.warn(line)
    else
      vim.health.info(line)
    end
  end
end

return M
