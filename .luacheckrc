-- What luacheck takes for granted: Neovim's Lua and its one global.
std = "luajit"
globals = { "vim" }
max_line_length = 110
