--- What this editor's other language servers know of the code, for agents that ask.
--- Positions count from 0, characters in UTF-16 code units.
local M = {}

local SEVERITIES = { "error", "warning", "information", "hint" }

--- A server that reads a project for the first time takes a while.
local PATIENCE_MILLISECONDS = 15000

--- The character of a byte of a line, which may not be loaded.
local function character(buffer, line, byte)
  local text = vim.api.nvim_buf_is_loaded(buffer)
    and vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1]
  if not text then
    return byte
  end
  return vim.str_utfindex(text, "utf-16", math.min(byte, #text), false)
end

--- Answers `swarm/editor/diagnostics`.
function M.diagnostics(params)
  local buffer = params.uri and vim.uri_to_bufnr(params.uri)
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(found, {
      uri = vim.uri_from_bufnr(each.bufnr),
      start = { line = each.lnum, character = character(each.bufnr, each.lnum, each.col) },
      severity = SEVERITIES[each.severity],
      message = each.message,
      source = each.source,
    })
  end
  return { diagnostics = found }
end

--- The places that one server answers with, in UTF-16.
local function places(result, client)
  result = result or {}
  local list = vim.islist(result) and result or { result }
  return vim.tbl_map(function(place)
    local uri = place.targetUri or place.uri
    local range = place.targetSelectionRange or place.range
    local start = range.start
    if client.offset_encoding ~= "utf-16" then
      local buffer = vim.uri_to_bufnr(uri)
      vim.fn.bufload(buffer)
      local text = vim.api.nvim_buf_get_lines(buffer, start.line, start.line + 1, false)[1] or ""
      local byte = vim.str_byteindex(text, client.offset_encoding, start.character, false)
      start = { line = start.line, character = vim.str_utfindex(text, "utf-16", byte, false) }
    end
    return { uri = uri, start = { line = start.line, character = start.character } }
  end, list)
end

--- Answers `swarm/editor/definition` and `references` by what every other server of the file says. Called in
--- a coroutine, as requests of servers are; nothing waits for it but its asker.
function M.look_up(method, params)
  local buffer = vim.uri_to_bufnr(params.uri)
  vim.fn.bufload(buffer)
  local text = vim.api.nvim_buf_get_lines(buffer, params.position.line, params.position.line + 1, false)[1]
    or ""
  local byte = vim.str_byteindex(text, "utf-16", params.position.character, false)
  local clients = vim.tbl_filter(function(client)
    return client.name ~= "swarm"
  end, vim.lsp.get_clients({ bufnr = buffer, method = method }))
  local found, waiting, asker = {}, #clients, coroutine.running()
  local function done()
    if asker and coroutine.status(asker) == "suspended" then
      local resumed = asker
      asker = nil
      coroutine.resume(resumed)
    end
  end
  for _, client in ipairs(clients) do
    local at = vim.str_utfindex(text, client.offset_encoding, byte, false)
    local asked = {
      textDocument = { uri = params.uri },
      position = { line = params.position.line, character = at },
      context = { includeDeclaration = true },
    }
    local function answered(_, result)
      vim.list_extend(found, places(result, client))
      waiting = waiting - 1
      if waiting == 0 then
        done()
      end
    end
    if not client:request(method, asked, answered, buffer) then
      waiting = waiting - 1
    end
  end
  if waiting > 0 then
    vim.defer_fn(done, PATIENCE_MILLISECONDS)
    coroutine.yield()
  end
  asker = nil
  return { locations = found }
end

return M
