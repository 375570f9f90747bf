--- A member's conversations: a new one, an earlier one, another title, a summary of the present one.
local client = require("swarm.client")
local state = require("swarm.state")
local M = {}

--- What a conversation is called in a list, with its share of the model's window.
local function row(conversation, window)
  local share = window > 0 and (" (%d %%)"):format(100 * conversation.tokens / window) or ""
  return ("%s %s  %s, %d tokens%s"):format(
    conversation.current and "●" or "○",
    conversation.title or "new",
    os.date("%Y-%m-%d %H:%M", math.floor(conversation.updatedAt / 1000)),
    conversation.tokens,
    share
  )
end

local function open(member, id)
  client.request("swarm/conversation/open", { member = member, id = id }, function(conversation)
    client.say(("in the conversation: %s"):format(conversation.title or "new"))
  end)
end

--- Lets the user choose the conversation that is to be the present one.
local function choose(member)
  client.request("swarm/conversation/list", { member = member }, function(listed)
    vim.ui.select(listed.conversations, {
      prompt = "Which conversation?",
      kind = "swarm_conversation",
      format_item = function(conversation)
        return row(conversation, listed.contextWindow)
      end,
    }, function(conversation)
      if conversation then
        open(member, conversation.id)
      end
    end)
  end)
end

local function anew(method)
  return function(member)
    client.request("swarm/conversation/" .. method, { member = member }, function()
      client.say("a new conversation")
    end)
  end
end

--- What `:Swarm conversation` knows beside the names of members: each gets the member and the text behind it.
local VERBS = {
  new = anew("new"),
  clear = anew("clear"),
  list = choose,
  open = function(member, text)
    if text == "" then
      return choose(member)
    end
    open(member, text)
  end,
  rename = function(member, text)
    if text == "" then
      return client.say("name the title: :Swarm conversation rename [MEMBER] TITLE", vim.log.levels.WARN)
    end
    client.request("swarm/conversation/rename", { member = member, title = text })
  end,
  compact = function(member)
    client.request("swarm/conversation/compact", { member = member }, function()
      client.say("its history is summarised before its next request")
    end)
  end,
}

function M.verbs()
  local verbs = vim.tbl_keys(VERBS)
  table.sort(verbs)
  return verbs
end

--- Does what the words say; false when they begin with no verb.
function M.run(words, text)
  local verb = VERBS[words[1]]
  if not verb then
    return false
  end
  local function behind(rest)
    return (rest:gsub("^%s*%S+%s*", ""))
  end
  local rest, member = behind(text), nil
  if words[2] and state.member(words[2]) then
    rest, member = behind(rest), words[2]
  end
  verb(member, vim.trim(rest))
  return true
end

return M
