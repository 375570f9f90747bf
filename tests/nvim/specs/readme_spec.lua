-- What README.md tells a user to paste, as they would paste it.
local check = require("check")

return {
  {
    "the README's set-up attaches to a file of a project and names its server",
    function(world)
      world:write("notes.txt", { "one" })
      world:commit()
      world:connect("notes.txt")
      check.equal(world.client.root_dir, world.workspace, "the project's folder")
      check.equal(world:request("swarm/state", vim.empty_dict()).permissions, {}, "questions at the start")
      check.equal(vim.fn.exists(":Swarm"), 2, "the command to prompt with")
    end,
  },
}
