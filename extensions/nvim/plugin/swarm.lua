-- The command `:Swarm`. Everything else is loaded when it is first used.
if vim.g.loaded_swarm then
  return
end
vim.g.loaded_swarm = true

vim.api.nvim_create_user_command("Swarm", function(command)
  require("swarm.commands").run(command)
end, {
  nargs = "*",
  range = true,
  desc = "The team of agents: :Swarm prompt, team, pending, …; :help swarm",
  complete = function(lead, line)
    return require("swarm.commands").complete(lead, line)
  end,
})
