-- The client's configuration, where Neovim looks for it. What `vim.lsp.config("swarm", …)` sets wins.
return require("swarm.client").config()
