--- @meta swarm.types
--- The messages of `swarm/*`, as docs/protocol.md lists them. Generated from the types of server/wire;
--- `SWARM_TYPES=write cargo test -p swarm-wire types::` writes it.

--- A member of a team, written `name@team`.
--- @alias swarm.AgentId string

--- A piece of a document that goes with a prompt. Lines and characters count as LSP does, in the client's
--- encoding.
--- @class swarm.Attachment
--- @field uri string
--- @field range? swarm.Range

--- How a teammate is to run.
--- @alias swarm.BackendChoice
--- | "auto" # In a terminal that you look at, where there is one; else in the server.
--- | "in-process" # In the server.
--- | "editor-terminal" # Each in a terminal of the editor.
--- | "tmux" # Each in a pane of tmux.
--- | "hidden" # Each in a process of its own, without a screen.
--- | "iterm2" # Each in a split of iTerm2.

--- How a member runs.
--- @alias swarm.BackendType
--- | "in-process" # In the server.
--- | "editor-terminal" # Each in a terminal of the editor.
--- | "tmux" # Each in a pane of tmux.
--- | "hidden" # Each in a process of its own, without a screen.
--- | "iterm2" # Each in a split of iTerm2.

--- What a rule does with the calls that it matches.
--- @alias swarm.Behavior
--- | "allow"
--- | "ask"
--- | "deny"

--- @class swarm.Block.Text
--- @field type "text"
--- @field text string

--- @class swarm.Block.ToolUse
--- @field type "tool_use"
--- @field id string
--- @field name string
--- @field input any

--- A provider's own item, such as signed thinking: replayed byte for byte or dropped whole.
--- @class swarm.Block.Opaque
--- @field type "opaque"
--- @field item any

--- A part of a model's answer.
--- @alias swarm.Block
--- | swarm.Block.Text
--- | swarm.Block.ToolUse
--- | swarm.Block.Opaque

--- @class swarm.CallResult
--- @field toolUseId string
--- @field content string
--- @field isError boolean
--- What is shown beside the text, which names it.
--- @field pictures? swarm.Picture[]

--- A snapshot of the workspace. Files that git ignores are not in it.
--- @class swarm.Checkpoint
--- @field id string
--- The first change of that turn, or what was restored.
--- @field summary string
--- Milliseconds since 1970.
--- @field createdAt integer
--- Whose turn was about to change something; absent for what a restore replaced.
--- @field member? swarm.AgentId
--- @field turnId? swarm.TurnId

--- Params of `swarm/checkpoint/list`.
--- @class swarm.CheckpointListParams
--- Only those of this member's turns.
--- @field member? string
--- @field team? string

--- @class swarm.CheckpointListResult
--- Newest first.
--- @field checkpoints swarm.Checkpoint[]

--- Params of `swarm/checkpoint/restore`.
--- @class swarm.CheckpointRestoreParams
--- @field id string
--- @field team? string

--- @class swarm.CheckpointRestoreResult
--- Absolute paths that were written or removed.
--- @field files string[]
--- What the workspace was before: restoring this one undoes the restore. Absent when nothing changed.
--- @field undo? swarm.Checkpoint

--- The client's `capabilities.experimental.swarm`; all false for a plain LSP editor.
--- @class swarm.ClientFeatures
--- Answers `swarm/editor/*`.
--- @field editor? boolean
--- Wants `swarm/event`.
--- @field events? boolean
--- Draws questions itself, so that no `window/showMessageRequest` is sent for them.
--- @field permissions? boolean
--- Answers `swarm/terminal/*`.
--- @field terminals? boolean

--- Params of `swarm/member/configure`; what is not named stays, and an empty text is the setting's again.
--- @class swarm.ConfigureParams
--- @field effort? string
--- @field member? string
--- @field model? string
--- @field team? string

--- One conversation of one member; `first`, or `conv-<ms>-<6 characters>`.
--- @alias swarm.ConversationId string

--- @class swarm.ConversationListResult
--- Newest first, by their last entry.
--- @field conversations swarm.ConversationView[]
--- How many tokens the member's model takes, so that a conversation's share of it can be shown.
--- @field contextWindow integer

--- Params of `swarm/conversation/open`.
--- @class swarm.ConversationOpenParams
--- @field id swarm.ConversationId
--- @field member? string
--- @field team? string

--- Params of `swarm/conversation/rename`.
--- @class swarm.ConversationRenameParams
--- @field title string
--- The present one without it.
--- @field id? swarm.ConversationId
--- @field member? string
--- @field team? string

--- A conversation as a client sees it.
--- @class swarm.ConversationView
--- @field id swarm.ConversationId
--- Unix milliseconds.
--- @field createdAt integer
--- When its last entry was made, in Unix milliseconds.
--- @field updatedAt integer
--- @field entries integer
--- What the model is shown of it, in tokens, roughly.
--- @field tokens integer
--- Whether it is the present one.
--- @field current boolean
--- The user's, else the head of its first prompt; none before that.
--- @field title? string

--- @alias swarm.DecisionName
--- | "allow"
--- | "reject"

--- What one of the editor's other servers found.
--- @class swarm.EditorDiagnostic
--- @field uri string
--- @field start swarm.Spot
--- @field severity swarm.Severity
--- @field message string
--- Who says so, such as `rustc`.
--- @field source? string

--- Params of the request `swarm/editor/diagnostics` to the client.
--- @class swarm.EditorDiagnosticsParams
--- Of this document only.
--- @field uri? string

--- Result of `swarm/editor/diagnostics`.
--- @class swarm.EditorDiagnosticsResult
--- @field diagnostics swarm.EditorDiagnostic[]

--- @class swarm.EditorLocation
--- @field uri string
--- @field start swarm.Spot

--- Params of the requests `swarm/editor/definition` and `swarm/editor/references` to the client.
--- @class swarm.EditorLookUpParams
--- @field uri string
--- @field position swarm.Spot

--- Result of `swarm/editor/definition` and `swarm/editor/references`.
--- @class swarm.EditorLookUpResult
--- @field locations swarm.EditorLocation[]

--- Params of the request `swarm/editor/save` to the client.
--- @class swarm.EditorSaveParams
--- @field uri string

--- Result of `swarm/editor/save`.
--- @class swarm.EditorSaveResult
--- Whether the document is on disk as the editor shows it.
--- @field saved boolean

--- How much a model may spend on thinking, from least to most.
--- @alias swarm.Effort
--- | "low"
--- | "medium"
--- | "high"
--- | "xhigh"
--- | "max"

--- What was put to the model: a person's prompt, or mail in its wrapper.
--- @class swarm.Entry.User
--- @field role "user"
--- @field text string
--- Unix milliseconds.
--- @field at integer
--- The messages that this entry consumed; one found here is only acknowledged.
--- @field mail? swarm.MessageId[]
--- What is shown beside the text, which names it.
--- @field pictures? swarm.Picture[]
--- @field turnId? swarm.TurnId

--- What the model answered, whole or as far as it came.
--- @class swarm.Entry.Assistant
--- @field role "assistant"
--- @field content swarm.Block[]
--- Unix milliseconds.
--- @field at integer
--- Whose answer it is, as `provider/model`: opaque items are of use to that one alone.
--- @field by? string
--- @field turnId? swarm.TurnId

--- The results of the calls in the answer before, each exactly once.
--- @class swarm.Entry.Results
--- @field role "results"
--- @field results swarm.CallResult[]
--- Unix milliseconds.
--- @field at integer
--- @field turnId? swarm.TurnId

--- All before this was replaced by its summary; the model is shown what follows.
--- @class swarm.Entry.Compacted
--- @field role "compacted"
--- @field summary string
--- Unix milliseconds.
--- @field at integer
--- The newest inputs, word for word: nobody had answered them.
--- @field carried? string[]
--- @field turnId? swarm.TurnId

--- The provider refused all pictures before this; the model is shown text in place of them.
--- @class swarm.Entry.PicturesRefused
--- @field role "picturesRefused"
--- @field reason string
--- Unix milliseconds.
--- @field at integer
--- @field turnId? swarm.TurnId

--- Why a turn ended otherwise than by the model's own stop.
--- @class swarm.Entry.Ended
--- @field role "ended"
--- @field reason string
--- Unix milliseconds.
--- @field at integer
--- The member ended in the middle of the turn, which can be gone on with.
--- @field unfinished? boolean
--- @field turnId? swarm.TurnId

--- A step of a member's history: a line of `<root>/teams/<team>/transcripts/<agentId>.jsonl`.
--- @alias swarm.Entry
--- | swarm.Entry.User
--- | swarm.Entry.Assistant
--- | swarm.Entry.Results
--- | swarm.Entry.Compacted
--- | swarm.Entry.PicturesRefused
--- | swarm.Entry.Ended

--- The team is new; without `team` it was deleted.
--- @class swarm.Event.TeamChanged
--- @field kind "teamChanged"
--- @field team swarm.TeamView|nil

--- @class swarm.Event.MemberChanged
--- @field kind "memberChanged"
--- @field member swarm.MemberView

--- @class swarm.Event.Text
--- @field kind "text"
--- @field member swarm.AgentId
--- @field turnId swarm.TurnId
--- @field text string

--- @class swarm.Event.ToolStarted
--- @field kind "toolStarted"
--- @field member swarm.AgentId
--- @field turnId swarm.TurnId
--- @field toolUseId string
--- @field name string
--- @field description string

--- @class swarm.Event.ToolFinished
--- @field kind "toolFinished"
--- @field member swarm.AgentId
--- @field turnId swarm.TurnId
--- @field toolUseId string
--- @field isError boolean
--- @field content string

--- @class swarm.Event.PermissionRequested
--- @field kind "permissionRequested"
--- @field request swarm.PermissionRequest

--- `allowed` is absent when the question was taken back, since it no longer needs an answer.
--- @class swarm.Event.PermissionResolved
--- @field kind "permissionResolved"
--- @field id swarm.RequestId
--- @field allowed? boolean
--- @field resolvedBy? swarm.ResolvedBy

--- A member in the mode `plan` wants to go to work.
--- @class swarm.Event.PlanRequested
--- @field kind "planRequested"
--- @field plan swarm.PlanRequest

--- `approved` is absent when the plan was taken back.
--- @class swarm.Event.PlanResolved
--- @field kind "planResolved"
--- @field id swarm.RequestId
--- @field member swarm.AgentId
--- @field approved? boolean
--- The member's mode from now on, when it was approved.
--- @field mode? swarm.Mode

--- @class swarm.Event.Message
--- @field kind "message"
--- @field from string
--- @field to swarm.AgentId
--- @field id swarm.MessageId
--- @field text string
--- @field summary? string

--- A member that was asked to end would rather go on; the user can end it all the same.
--- @class swarm.Event.ShutdownRefused
--- @field kind "shutdownRefused"
--- @field member swarm.AgentId
--- @field reason string

--- Something was refused or passed over that the user should see, such as forged mail.
--- @class swarm.Event.Warning
--- @field kind "warning"
--- @field text string

--- A member's history was replaced by its summary; in tokens, roughly.
--- @class swarm.Event.Compacted
--- @field kind "compacted"
--- @field member swarm.AgentId
--- @field before integer
--- @field after integer

--- Another conversation of a member is the present one, or this present one has another title.
--- @class swarm.Event.ConversationChanged
--- @field kind "conversationChanged"
--- @field member swarm.AgentId
--- @field id swarm.ConversationId
--- @field title? string

--- @class swarm.Event.TaskChanged
--- @field kind "taskChanged"
--- @field task swarm.Task

--- The workspace was kept as it was before a turn's first change.
--- @class swarm.Event.CheckpointMade
--- @field kind "checkpointMade"
--- @field checkpoint swarm.Checkpoint

--- The workspace is again what it was at a checkpoint; `files` are the absolute paths that changed for it.
--- @class swarm.Event.CheckpointRestored
--- @field kind "checkpointRestored"
--- @field id string
--- @field files string[]

--- @class swarm.Event.TurnRestarted
--- @field kind "turnRestarted"
--- @field member swarm.AgentId
--- @field turnId swarm.TurnId
--- @field attempt integer
--- @field discardedText string

--- @class swarm.Event.TurnEnded
--- @field kind "turnEnded"
--- @field member swarm.AgentId
--- @field turnId swarm.TurnId
--- @field reason swarm.TurnEnd
--- @field detail? string

--- @class swarm.Event.MemberEnded
--- @field kind "memberEnded"
--- @field member swarm.AgentId
--- @field outcome swarm.MemberState
--- @field reason? string
--- @field summary? string

--- What happened in a team.
--- @alias swarm.Event
--- | swarm.Event.TeamChanged
--- | swarm.Event.MemberChanged
--- | swarm.Event.Text
--- | swarm.Event.ToolStarted
--- | swarm.Event.ToolFinished
--- | swarm.Event.PermissionRequested
--- | swarm.Event.PermissionResolved
--- | swarm.Event.PlanRequested
--- | swarm.Event.PlanResolved
--- | swarm.Event.Message
--- | swarm.Event.ShutdownRefused
--- | swarm.Event.Warning
--- | swarm.Event.Compacted
--- | swarm.Event.ConversationChanged
--- | swarm.Event.TaskChanged
--- | swarm.Event.CheckpointMade
--- | swarm.Event.CheckpointRestored
--- | swarm.Event.TurnRestarted
--- | swarm.Event.TurnEnded
--- | swarm.Event.MemberEnded

--- Params of the notification `swarm/event`.
--- @class swarm.EventParams
--- Counts what was sent on this connection; a gap means: ask `swarm/state`.
--- @field seq integer
--- @field team swarm.TeamName
--- @field event swarm.Event

--- What an edit would do to one file.
--- @class swarm.FileChange
--- Absolute path.
--- @field path string
--- @field after string
--- Absent when the file does not exist yet.
--- @field before? string

--- Lines of a request's change: those of the text before make room for those of the text after.
--- @class swarm.Hunk
--- @field before swarm.LineRange
--- @field after swarm.LineRange

--- @class swarm.InterruptResult
--- Whether a turn was running.
--- @field interrupted boolean

--- What a call does at its worst, from harmless to irreversible.
--- @alias swarm.Level
--- | "readOnly"
--- | "changesFiles"
--- | "runsCode"
--- | "leavesMachine"
--- | "destroys"

--- Lines counted from 0; `end` is the first that is not among them.
--- @class swarm.LineRange
--- @field start integer
--- @field ["end"] integer

--- The kinds of pictures that models read.
--- @alias swarm.MediaType
--- | "image/png"
--- | "image/jpeg"
--- | "image/gif"
--- | "image/webp"

--- @class swarm.MemberMode
--- @field member string
--- @field mode swarm.Mode

--- A member's name within its team.
--- @alias swarm.MemberName string

--- Names a member; without one, the leader's agent; without a team, the only or first one.
--- @class swarm.MemberParams
--- @field member? string
--- @field team? string

--- What a member is doing.
--- @alias swarm.MemberState
--- | "starting"
--- | "working"
--- | "idle"
--- | "planning"
--- | "rateLimited"
--- | "stalled"
--- | "completed"
--- | "failed"
--- | "killed"
--- | "waiting" # For a person's decision.
--- | "paused" # Its budget is spent; it goes on when that is raised.
--- | "gone" # Its process was lost; it can be restarted.

--- @class swarm.MemberView
--- @field agentId swarm.AgentId
--- @field name swarm.MemberName
--- @field team swarm.TeamName
--- @field state swarm.MemberState
--- How many calls it has made since the server started.
--- @field toolCalls integer
--- @field tokens swarm.Tokens
--- @field mode swarm.Mode
--- @field backend swarm.BackendType
--- Its kind, by the name of its file.
--- @field agentType? string
--- It does not run: an earlier server ended, and it starts again when it hears from someone.
--- @field asleep? boolean
--- @field color? string
--- US dollars, where the model's price is known.
--- @field cost? number
--- How hard its model is to think; the provider's own without it.
--- @field effort? swarm.Effort
--- Its last turn was cut off when an earlier server ended, and it has not gone on since.
--- @field interrupted? boolean
--- When it was last heard of, in Unix milliseconds.
--- @field lastActivity? integer
--- @field model? string
--- The calls that run, by their ids.
--- @field running? string[]
--- The running tool and what it does, in a line.
--- @field tool? string
--- The running turn.
--- @field turnId? swarm.TurnId
--- Where it works, when it has a git worktree of its own.
--- @field worktree? swarm.Worktree

--- A message in a mailbox.
--- @alias swarm.MessageId string

--- @class swarm.MessageParams
--- A member's name, or `*` for each.
--- @field to string
--- @field text string
--- @field summary? string
--- @field team? string

--- @class swarm.MessageResult
--- @field id swarm.MessageId

--- How far a member may go before it must ask.
--- @alias swarm.Mode
--- | "default" # Asks for everything that is not plain reading.
--- | "acceptEdits" # Edits inside the workspace go through.
--- | "plan" # Only reads, until a plan is approved.
--- | "dontAsk" # What would ask is refused instead.
--- | "bypassPermissions" # Nothing asks but what destroys; what a rule denies is refused.

--- What became of an attempt to answer a request.
--- @alias swarm.Outcome
--- | "resolved"
--- | "alreadyResolved"
--- | "unknown"

--- @class swarm.PermissionListParams
--- @field team? string

--- @class swarm.PermissionListResult
--- @field requests swarm.PermissionRequest[]

--- One question to the user, from the moment it is asked to its answer.
--- @class swarm.PermissionRequest
--- @field id swarm.RequestId
--- @field workerId swarm.AgentId
--- @field workerName swarm.MemberName
--- @field teamName swarm.TeamName
--- @field toolName string
--- @field toolUseId string
--- One line for a person: what the call would do.
--- @field description string
--- @field level swarm.Level
--- The whole input of the call, as the model gave it.
--- @field input any
--- @field permissionSuggestions swarm.RuleUpdate[]
--- @field status swarm.Status
--- Unix milliseconds.
--- @field createdAt integer
--- The first of the like questions that came shortly after it; all of them can be answered together.
--- @field batch? swarm.RequestId
--- The text before and after, when the call changes one text file. Not part of the request's file.
--- @field change? swarm.FileChange
--- @field feedback? string
--- @field permissionUpdates? swarm.RuleUpdate[]
--- Unix milliseconds.
--- @field resolvedAt? integer
--- @field resolvedBy? swarm.ResolvedBy
--- @field updatedInput? any
--- Why it asks, as a clause, with the rule and its scope where one decided: "it leaves the machine".
--- @field why? string
--- @field workerColor? string

--- @class swarm.PermissionResolveParams
--- @field ids swarm.RequestId[]
--- @field decision swarm.DecisionName
--- @field feedback? string
--- Of the change only these hunks, in their order.
--- @field hunks? swarm.Hunk[]
--- A rule to keep, so that the like does not ask again.
--- @field remember? swarm.RuleUpdate
--- @field updatedInput? any

--- @class swarm.PermissionResolveResult
--- @field results swarm.ResolveOutcome[]

--- What is known of a picture without its bytes.
--- @class swarm.Picture
--- The SHA-256 of its bytes, in hexadecimal digits.
--- @field hash string
--- @field mediaType swarm.MediaType
--- In pixels.
--- @field width integer
--- In pixels.
--- @field height integer
--- How large its file is.
--- @field bytes integer

--- Params of `swarm/plan/list`.
--- @class swarm.PlanListParams
--- @field team? string

--- @class swarm.PlanListResult
--- Oldest first.
--- @field plans swarm.PlanRequest[]

--- A member in the mode `plan` wants to go to work.
--- @class swarm.PlanRequest
--- @field id swarm.RequestId
--- @field member swarm.AgentId
--- @field name swarm.MemberName
--- @field team swarm.TeamName
--- Markdown, as the member wrote it.
--- @field plan string
--- The absolute path of the file that holds it; what the user changes there is what is approved.
--- @field document string
--- Milliseconds since 1970.
--- @field createdAt integer
--- The leader's agent looks at it first; the user can decide all the same.
--- @field reviewing boolean
--- @field color? string

--- Params of `swarm/plan/resolve`.
--- @class swarm.PlanResolveParams
--- @field id swarm.RequestId
--- @field approve boolean
--- @field feedback? string
--- The member's mode from then on; `default` when absent. Only with `approve`.
--- @field mode? swarm.Mode
--- @field team? string

--- @class swarm.Position
--- @field line integer
--- @field character integer

--- @class swarm.PromptParams
--- @field text string
--- @field attachments? swarm.Attachment[]
--- @field member? string
--- @field team? string

--- @class swarm.PromptResult
--- Names the prompt's turn: exactly one `turnEnded` comes for it, also when the member was busy and the
--- prompt joined the turn that ran.
--- @field turnId swarm.TurnId

--- @class swarm.Range
--- @field start swarm.Position
--- @field ["end"] swarm.Position

--- A permission or plan request; permission ids are `perm-<ms>-<6 characters>`.
--- @alias swarm.RequestId string

--- @class swarm.ResolveOutcome
--- @field id swarm.RequestId
--- @field outcome swarm.Outcome

--- Where the deciding person sat.
--- @alias swarm.ResolvedBy
--- | "worker" # At the teammate's own terminal.
--- | "leader" # At the leader's editor.

--- A change of rules: offered with a request as a suggestion, or applied with its answer.
--- @class swarm.RuleUpdate
--- Rules as text, `Tool` or `Tool(pattern)`.
--- @field rules string[]
--- @field behavior swarm.Behavior
--- @field scope swarm.Scope

--- How long and for whom a remembered rule holds; `session` is the asking member's life.
--- @alias swarm.Scope
--- | "session"
--- | "team"
--- | "project"
--- | "user"

--- Params of `swarm/teammate/setModes`.
--- @class swarm.SetModesParams
--- @field modes swarm.MemberMode[]
--- @field team? string

--- @alias swarm.Severity
--- | "error"
--- | "warning"
--- | "information"
--- | "hint"

--- Params of `swarm/teammate/spawn`.
--- @class swarm.SpawnParams
--- @field name string
--- @field prompt string
--- The kind of teammate; see docs/agents.md.
--- @field agentType? string
--- How it runs; the setting's `teammateBackend` when absent.
--- @field backend? swarm.BackendChoice
--- The same id again gives the same member.
--- @field callId? string
--- @field color? string
--- @field effort? swarm.Effort
--- @field mode? swarm.Mode
--- @field model? string
--- It plans first: only what reads runs until the user approves its plan, which then sets the mode.
--- @field planModeRequired? boolean
--- @field team? string
--- It gets a git branch and a worktree of its own.
--- @field worktree? boolean

--- A place between two characters.
--- @class swarm.Spot
--- @field line integer
--- @field character integer

--- Result of `swarm/state`.
--- @class swarm.StateResult
--- The `seq` of the last `swarm/event` that this state includes.
--- @field seq integer
--- @field teams swarm.TeamView[]
--- @field members swarm.MemberView[]
--- Pending ones, oldest first.
--- @field permissions swarm.PermissionRequest[]
--- @field plans swarm.PlanRequest[]
--- In the order made.
--- @field tasks swarm.Task[]

--- @alias swarm.Status
--- | "pending"
--- | "approved"
--- | "rejected"

--- @alias swarm.StopOutcome
--- | "stopped"
--- | "alreadyEnded"
--- | "asked" # Its model is asked; `memberEnded` or `shutdownRefused` follows.

--- Params of `swarm/teammate/stop`.
--- @class swarm.StopParams
--- @field member string
--- End it now, whatever it does.
--- @field force? boolean
--- Told to the teammate when it is asked.
--- @field reason? string
--- @field team? string

--- @class swarm.StopResult
--- @field outcome swarm.StopOutcome

--- A task, as `<root>/teams/<team>/tasks/<id>.json` keeps it.
--- @class swarm.Task
--- @field id swarm.TaskId
--- @field subject string
--- @field description string
--- @field status swarm.TaskStatus
--- Tasks that must be completed before this one is claimed.
--- @field blockedBy swarm.TaskId[]
--- @field owner? swarm.AgentId

--- Params of `swarm/task/create`.
--- @class swarm.TaskCreateParams
--- @field subject string
--- @field blockedBy? swarm.TaskId[]
--- @field description? string
--- @field team? string

--- Names one task of a team; given by the store, counted from 1.
--- @alias swarm.TaskId string

--- Params of `swarm/task/list`.
--- @class swarm.TaskListParams
--- @field team? string

--- @class swarm.TaskListResult
--- @field tasks swarm.Task[]

--- @alias swarm.TaskStatus
--- | "pending"
--- | "in_progress"
--- | "completed"

--- Params of `swarm/task/update`; what is not named stays.
--- @class swarm.TaskUpdateParams
--- @field id swarm.TaskId
--- @field blockedBy? swarm.TaskId[]
--- @field description? string
--- A member's name; an empty text gives the task back to the list.
--- @field owner? string
--- @field status? swarm.TaskStatus
--- @field subject? string
--- @field team? string

--- Params of `swarm/team/create`.
--- @class swarm.TeamCreateParams
--- @field description? string
--- The workspace folder's without it.
--- @field name? string

--- Params of `swarm/team/delete`.
--- @class swarm.TeamDeleteParams
--- @field name string

--- A team's name.
--- @alias swarm.TeamName string

--- @class swarm.TeamView
--- @field name swarm.TeamName
--- @field workspace string
--- @field leadAgentId swarm.AgentId
--- US dollars that all who were ever in it spent, as far as prices are known.
--- @field cost? number
--- @field description? string

--- Params of `swarm/teammate/restart`, `swarm/teammate/show` and `swarm/teammate/hide`.
--- @class swarm.TeammateParams
--- @field member string
--- @field team? string

--- Params of the notification `swarm/terminal/closed` to the server.
--- @class swarm.TerminalClosedParams
--- @field terminalId string
--- How its process ended, when that is known.
--- @field exitCode? integer

--- Params of the request `swarm/terminal/open` to the client.
--- @class swarm.TerminalOpenParams
--- The teammate's name.
--- @field title string
--- An absolute path. It is started with `args` as they are, by no shell.
--- @field command string
--- @field args string[]
--- An absolute path.
--- @field cwd string
--- Set over what terminals of the editor have otherwise.
--- @field env table<string, string>
--- Runs without being shown until `swarm/terminal/show`.
--- @field hidden boolean
--- The teammate's colour, when it has one.
--- @field color? string

--- Result of `swarm/terminal/open`; params of `swarm/terminal/close`, `swarm/terminal/show` and
--- `swarm/terminal/hide`.
--- @class swarm.TerminalParams
--- The client's name for the terminal.
--- @field terminalId string

--- @class swarm.Tokens
--- @field input integer
--- @field output integer
--- Input that the provider had in its cache.
--- @field cached integer

--- @class swarm.TranscriptParams
--- The `next` of an earlier answer.
--- @field after? integer
--- At most 1000, which is also the default.
--- @field limit? integer
--- @field member? string
--- @field team? string

--- @class swarm.TranscriptResult
--- @field entries swarm.Entry[]
--- Pass as `after` for what comes next.
--- @field next integer

--- @alias swarm.TurnEnd
--- | "interrupted"
--- | "failed"
--- | "completed" # The model stopped by itself.

--- One turn of one member.
--- @alias swarm.TurnId string

--- The git worktree that a member has for itself.
--- @class swarm.Worktree
--- Its top folder, absolute.
--- @field path string
--- The branch that it was made with.
--- @field branch string
