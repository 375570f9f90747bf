-- The person at the editor: what `vim.ui.select` shows them, and what they choose.
local check = require("check")
local Person = {}
Person.__index = Person

--- Takes the place of the built-in menu until `leave`.
function Person.new()
  local self = setmetatable({ menus = {}, select = vim.ui.select }, Person)
  vim.ui.select = function(items, options, on_choice)
    local titles = vim.tbl_map(options.format_item or tostring, items)
    table.insert(self.menus, {
      kind = options.kind,
      prompt = options.prompt or "",
      titles = titles,
      items = items,
      on_choice = on_choice,
    })
  end
  return self
end

function Person:leave()
  vim.ui.select = self.select
end

--- The next menu of that kind that nobody looked at yet.
function Person:menu(kind)
  return check.eventually("a menu of kind " .. kind, function()
    for _, menu in ipairs(self.menus) do
      if menu.kind == kind and not menu.seen then
        menu.seen = true
        return menu
      end
    end
  end, function()
    return self.menus
  end)
end

--- Chooses the one entry that holds all of `words`, whatever their case; a word after `!` must be absent.
function Person.choose(menu, words)
  local fitting = {}
  for index, title in ipairs(menu.titles) do
    local fits = true
    for _, word in ipairs(words) do
      local unwanted, plain = word:match("^(!?)(.*)$")
      local there = title:lower():find(plain:lower(), 1, true) ~= nil
      fits = fits and there == (unwanted == "")
    end
    if fits then
      table.insert(fitting, index)
    end
  end
  if #fitting ~= 1 then
    error(("%d entries fit %s in %s"):format(#fitting, vim.inspect(words), vim.inspect(menu.titles)), 2)
  end
  menu.on_choice(menu.items[fitting[1]], fitting[1])
end

--- Closes the menu without a choice.
function Person.dismiss(menu)
  menu.on_choice(nil, nil)
end

return Person
