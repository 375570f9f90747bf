// The messages of `swarm/*`, as docs/protocol.md lists them. Generated from the types of server/wire;
// `SWARM_TYPES=write cargo test -p swarm-wire types::` writes it.

/** A member of a team, written `name@team`. */
export type AgentId = string;

/**
 * A piece of a document that goes with a prompt. Lines and characters count as LSP does, in the client's
 * encoding.
 */
export interface Attachment {
  uri: string;
  range?: Range;
}

/** How a teammate is to run. */
export type BackendChoice =
  /** In a terminal that you look at, where there is one; else in the server. */
  | "auto"
  /** In the server. */
  | "in-process"
  /** Each in a terminal of the editor. */
  | "editor-terminal"
  /** Each in a pane of tmux. */
  | "tmux"
  /** Each in a process of its own, without a screen. */
  | "hidden"
  /** Each in a split of iTerm2. */
  | "iterm2";

/** How a member runs. */
export type BackendType =
  /** In the server. */
  | "in-process"
  /** Each in a terminal of the editor. */
  | "editor-terminal"
  /** Each in a pane of tmux. */
  | "tmux"
  /** Each in a process of its own, without a screen. */
  | "hidden"
  /** Each in a split of iTerm2. */
  | "iterm2";

/** What a rule does with the calls that it matches. */
export type Behavior = "allow" | "ask" | "deny";

/** A part of a model's answer. */
export type Block =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: unknown }
  /** A provider's own item, such as signed thinking: replayed byte for byte or dropped whole. */
  | { type: "opaque"; item: unknown };

export interface CallResult {
  toolUseId: string;
  content: string;
  isError: boolean;
  /** What is shown beside the text, which names it. */
  pictures?: Picture[];
}

/** A snapshot of the workspace. Files that git ignores are not in it. */
export interface Checkpoint {
  id: string;
  /** The first change of that turn, or what was restored. */
  summary: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Whose turn was about to change something; absent for what a restore replaced. */
  member?: AgentId;
  turnId?: TurnId;
}

/** Params of `swarm/checkpoint/list`. */
export interface CheckpointListParams {
  /** Only those of this member's turns. */
  member?: string;
  team?: string;
}

export interface CheckpointListResult {
  /** Newest first. */
  checkpoints: Checkpoint[];
}

/** Params of `swarm/checkpoint/restore`. */
export interface CheckpointRestoreParams {
  id: string;
  team?: string;
}

export interface CheckpointRestoreResult {
  /** Absolute paths that were written or removed. */
  files: string[];
  /** What the workspace was before: restoring this one undoes the restore. Absent when nothing changed. */
  undo?: Checkpoint;
}

/** The client's `capabilities.experimental.swarm`; all false for a plain LSP editor. */
export interface ClientFeatures {
  /** Answers `swarm/editor/*`. */
  editor?: boolean;
  /** Wants `swarm/event`. */
  events?: boolean;
  /** Draws questions itself, so that no `window/showMessageRequest` is sent for them. */
  permissions?: boolean;
  /** Answers `swarm/terminal/*`. */
  terminals?: boolean;
}

/** Params of `swarm/member/configure`; what is not named stays, and an empty text is the setting's again. */
export interface ConfigureParams {
  effort?: string;
  member?: string;
  model?: string;
  team?: string;
}

/** One conversation of one member; `first`, or `conv-<ms>-<6 characters>`. */
export type ConversationId = string;

export interface ConversationListResult {
  /** Newest first, by their last entry. */
  conversations: ConversationView[];
  /** How many tokens the member's model takes, so that a conversation's share of it can be shown. */
  contextWindow: number;
}

/** Params of `swarm/conversation/open`. */
export interface ConversationOpenParams {
  id: ConversationId;
  member?: string;
  team?: string;
}

/** Params of `swarm/conversation/rename`. */
export interface ConversationRenameParams {
  title: string;
  /** The present one without it. */
  id?: ConversationId;
  member?: string;
  team?: string;
}

/** A conversation as a client sees it. */
export interface ConversationView {
  id: ConversationId;
  /** Unix milliseconds. */
  createdAt: number;
  /** When its last entry was made, in Unix milliseconds. */
  updatedAt: number;
  entries: number;
  /** What the model is shown of it, in tokens, roughly. */
  tokens: number;
  /** Whether it is the present one. */
  current: boolean;
  /** The user's, else the head of its first prompt; none before that. */
  title?: string;
}

export type DecisionName = "allow" | "reject";

/** What one of the editor's other servers found. */
export interface EditorDiagnostic {
  uri: string;
  start: Spot;
  severity: Severity;
  message: string;
  /** Who says so, such as `rustc`. */
  source?: string;
}

/** Params of the request `swarm/editor/diagnostics` to the client. */
export interface EditorDiagnosticsParams {
  /** Of this document only. */
  uri?: string;
}

/** Result of `swarm/editor/diagnostics`. */
export interface EditorDiagnosticsResult {
  diagnostics: EditorDiagnostic[];
}

export interface EditorLocation {
  uri: string;
  start: Spot;
}

/** Params of the requests `swarm/editor/definition` and `swarm/editor/references` to the client. */
export interface EditorLookUpParams {
  uri: string;
  position: Spot;
}

/** Result of `swarm/editor/definition` and `swarm/editor/references`. */
export interface EditorLookUpResult {
  locations: EditorLocation[];
}

/** Params of the request `swarm/editor/save` to the client. */
export interface EditorSaveParams {
  uri: string;
}

/** Result of `swarm/editor/save`. */
export interface EditorSaveResult {
  /** Whether the document is on disk as the editor shows it. */
  saved: boolean;
}

/** How much a model may spend on thinking, from least to most. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

/** A step of a member's history: a line of `<root>/teams/<team>/transcripts/<agentId>.jsonl`. */
export type Entry =
  /** What was put to the model: a person's prompt, or mail in its wrapper. */
  | {
      role: "user";
      text: string;
      /** Unix milliseconds. */
      at: number;
      /** The messages that this entry consumed; one found here is only acknowledged. */
      mail?: MessageId[];
      /** What is shown beside the text, which names it. */
      pictures?: Picture[];
      turnId?: TurnId;
    }
  /** What the model answered, whole or as far as it came. */
  | {
      role: "assistant";
      content: Block[];
      /** Unix milliseconds. */
      at: number;
      /** Whose answer it is, as `provider/model`: opaque items are of use to that one alone. */
      by?: string;
      turnId?: TurnId;
    }
  /** The results of the calls in the answer before, each exactly once. */
  | {
      role: "results";
      results: CallResult[];
      /** Unix milliseconds. */
      at: number;
      turnId?: TurnId;
    }
  /** All before this was replaced by its summary; the model is shown what follows. */
  | {
      role: "compacted";
      summary: string;
      /** Unix milliseconds. */
      at: number;
      /** The newest inputs, word for word: nobody had answered them. */
      carried?: string[];
      turnId?: TurnId;
    }
  /** The provider refused all pictures before this; the model is shown text in place of them. */
  | {
      role: "picturesRefused";
      reason: string;
      /** Unix milliseconds. */
      at: number;
      turnId?: TurnId;
    }
  /** Why a turn ended otherwise than by the model's own stop. */
  | {
      role: "ended";
      reason: string;
      /** Unix milliseconds. */
      at: number;
      /** The member ended in the middle of the turn, which can be gone on with. */
      unfinished?: boolean;
      turnId?: TurnId;
    };

/** What happened in a team. */
export type Event =
  /** The team is new; without `team` it was deleted. */
  | { kind: "teamChanged"; team: TeamView | null }
  | { kind: "memberChanged"; member: MemberView }
  | { kind: "text"; member: AgentId; turnId: TurnId; text: string }
  | {
      kind: "toolStarted";
      member: AgentId;
      turnId: TurnId;
      toolUseId: string;
      name: string;
      description: string;
    }
  | {
      kind: "toolFinished";
      member: AgentId;
      turnId: TurnId;
      toolUseId: string;
      isError: boolean;
      content: string;
    }
  | { kind: "permissionRequested"; request: PermissionRequest }
  /** `allowed` is absent when the question was taken back, since it no longer needs an answer. */
  | { kind: "permissionResolved"; id: RequestId; allowed?: boolean; resolvedBy?: ResolvedBy }
  /** A member in the mode `plan` wants to go to work. */
  | { kind: "planRequested"; plan: PlanRequest }
  /** `approved` is absent when the plan was taken back. */
  | {
      kind: "planResolved";
      id: RequestId;
      member: AgentId;
      approved?: boolean;
      /** The member's mode from now on, when it was approved. */
      mode?: Mode;
    }
  | { kind: "message"; from: string; to: AgentId; id: MessageId; text: string; summary?: string }
  /** A member that was asked to end would rather go on; the user can end it all the same. */
  | { kind: "shutdownRefused"; member: AgentId; reason: string }
  /** Something was refused or passed over that the user should see, such as forged mail. */
  | { kind: "warning"; text: string }
  /** A member's history was replaced by its summary; in tokens, roughly. */
  | { kind: "compacted"; member: AgentId; before: number; after: number }
  /** Another conversation of a member is the present one, or this present one has another title. */
  | { kind: "conversationChanged"; member: AgentId; id: ConversationId; title?: string }
  | { kind: "taskChanged"; task: Task }
  /** The workspace was kept as it was before a turn's first change. */
  | { kind: "checkpointMade"; checkpoint: Checkpoint }
  /**
   * The workspace is again what it was at a checkpoint; `files` are the absolute paths that changed for it.
   */
  | { kind: "checkpointRestored"; id: string; files: string[] }
  | { kind: "turnRestarted"; member: AgentId; turnId: TurnId; attempt: number; discardedText: string }
  | { kind: "turnEnded"; member: AgentId; turnId: TurnId; reason: TurnEnd; detail?: string }
  | { kind: "memberEnded"; member: AgentId; outcome: MemberState; reason?: string; summary?: string };

/** Params of the notification `swarm/event`. */
export interface EventParams {
  /** Counts what was sent on this connection; a gap means: ask `swarm/state`. */
  seq: number;
  team: TeamName;
  event: Event;
}

/** What an edit would do to one file. */
export interface FileChange {
  /** Absolute path. */
  path: string;
  after: string;
  /** Absent when the file does not exist yet. */
  before?: string;
}

/** Lines of a request's change: those of the text before make room for those of the text after. */
export interface Hunk {
  before: LineRange;
  after: LineRange;
}

export interface InterruptResult {
  /** Whether a turn was running. */
  interrupted: boolean;
}

/** What a call does at its worst, from harmless to irreversible. */
export type Level = "readOnly" | "changesFiles" | "runsCode" | "leavesMachine" | "destroys";

/** Lines counted from 0; `end` is the first that is not among them. */
export interface LineRange {
  start: number;
  end: number;
}

/** The kinds of pictures that models read. */
export type MediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export interface MemberMode {
  member: string;
  mode: Mode;
}

/** A member's name within its team. */
export type MemberName = string;

/** Names a member; without one, the leader's agent; without a team, the only or first one. */
export interface MemberParams {
  member?: string;
  team?: string;
}

/** What a member is doing. */
export type MemberState =
  | "starting"
  | "working"
  | "idle"
  | "planning"
  | "rateLimited"
  | "stalled"
  | "completed"
  | "failed"
  | "killed"
  /** For a person's decision. */
  | "waiting"
  /** Its budget is spent; it goes on when that is raised. */
  | "paused"
  /** Its process was lost; it can be restarted. */
  | "gone";

export interface MemberView {
  agentId: AgentId;
  name: MemberName;
  team: TeamName;
  state: MemberState;
  /** How many calls it has made since the server started. */
  toolCalls: number;
  tokens: Tokens;
  mode: Mode;
  backend: BackendType;
  /** Its kind, by the name of its file. */
  agentType?: string;
  /** It does not run: an earlier server ended, and it starts again when it hears from someone. */
  asleep?: boolean;
  color?: string;
  /** US dollars, where the model's price is known. */
  cost?: number;
  /** How hard its model is to think; the provider's own without it. */
  effort?: Effort;
  /** Its last turn was cut off when an earlier server ended, and it has not gone on since. */
  interrupted?: boolean;
  /** When it was last heard of, in Unix milliseconds. */
  lastActivity?: number;
  model?: string;
  /** The calls that run, by their ids. */
  running?: string[];
  /** The running tool and what it does, in a line. */
  tool?: string;
  /** The running turn. */
  turnId?: TurnId;
  /** Where it works, when it has a git worktree of its own. */
  worktree?: Worktree;
}

/** A message in a mailbox. */
export type MessageId = string;

export interface MessageParams {
  /** A member's name, or `*` for each. */
  to: string;
  text: string;
  summary?: string;
  team?: string;
}

export interface MessageResult {
  id: MessageId;
}

/** How far a member may go before it must ask. */
export type Mode =
  /** Asks for everything that is not plain reading. */
  | "default"
  /** Edits inside the workspace go through. */
  | "acceptEdits"
  /** Only reads, until a plan is approved. */
  | "plan"
  /** What would ask is refused instead. */
  | "dontAsk"
  /** Nothing asks but what destroys; what a rule denies is refused. */
  | "bypassPermissions";

/** What became of an attempt to answer a request. */
export type Outcome = "resolved" | "alreadyResolved" | "unknown";

export interface PermissionListParams {
  team?: string;
}

export interface PermissionListResult {
  requests: PermissionRequest[];
}

/** One question to the user, from the moment it is asked to its answer. */
export interface PermissionRequest {
  id: RequestId;
  workerId: AgentId;
  workerName: MemberName;
  teamName: TeamName;
  toolName: string;
  toolUseId: string;
  /** One line for a person: what the call would do. */
  description: string;
  level: Level;
  /** The whole input of the call, as the model gave it. */
  input: unknown;
  permissionSuggestions: RuleUpdate[];
  status: Status;
  /** Unix milliseconds. */
  createdAt: number;
  /** The first of the like questions that came shortly after it; all of them can be answered together. */
  batch?: RequestId;
  /** The text before and after, when the call changes one text file. Not part of the request's file. */
  change?: FileChange;
  feedback?: string;
  permissionUpdates?: RuleUpdate[];
  /** Unix milliseconds. */
  resolvedAt?: number;
  resolvedBy?: ResolvedBy;
  updatedInput?: unknown;
  /** Why it asks, as a clause, with the rule and its scope where one decided: "it leaves the machine". */
  why?: string;
  workerColor?: string;
}

export interface PermissionResolveParams {
  ids: RequestId[];
  decision: DecisionName;
  feedback?: string;
  /** Of the change only these hunks, in their order. */
  hunks?: Hunk[];
  /** A rule to keep, so that the like does not ask again. */
  remember?: RuleUpdate;
  updatedInput?: unknown;
}

export interface PermissionResolveResult {
  results: ResolveOutcome[];
}

/** What is known of a picture without its bytes. */
export interface Picture {
  /** The SHA-256 of its bytes, in hexadecimal digits. */
  hash: string;
  mediaType: MediaType;
  /** In pixels. */
  width: number;
  /** In pixels. */
  height: number;
  /** How large its file is. */
  bytes: number;
}

/** Params of `swarm/plan/list`. */
export interface PlanListParams {
  team?: string;
}

export interface PlanListResult {
  /** Oldest first. */
  plans: PlanRequest[];
}

/** A member in the mode `plan` wants to go to work. */
export interface PlanRequest {
  id: RequestId;
  member: AgentId;
  name: MemberName;
  team: TeamName;
  /** Markdown, as the member wrote it. */
  plan: string;
  /** The absolute path of the file that holds it; what the user changes there is what is approved. */
  document: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** The leader's agent looks at it first; the user can decide all the same. */
  reviewing: boolean;
  color?: string;
}

/** Params of `swarm/plan/resolve`. */
export interface PlanResolveParams {
  id: RequestId;
  approve: boolean;
  feedback?: string;
  /** The member's mode from then on; `default` when absent. Only with `approve`. */
  mode?: Mode;
  team?: string;
}

export interface Position {
  line: number;
  character: number;
}

export interface PromptParams {
  text: string;
  attachments?: Attachment[];
  member?: string;
  team?: string;
}

export interface PromptResult {
  /**
   * Names the prompt's turn: exactly one `turnEnded` comes for it, also when the member was busy and the
   * prompt joined the turn that ran.
   */
  turnId: TurnId;
}

export interface Range {
  start: Position;
  end: Position;
}

/** A permission or plan request; permission ids are `perm-<ms>-<6 characters>`. */
export type RequestId = string;

export interface ResolveOutcome {
  id: RequestId;
  outcome: Outcome;
}

/** Where the deciding person sat. */
export type ResolvedBy =
  /** At the teammate's own terminal. */
  | "worker"
  /** At the leader's editor. */
  | "leader";

/** A change of rules: offered with a request as a suggestion, or applied with its answer. */
export interface RuleUpdate {
  /** Rules as text, `Tool` or `Tool(pattern)`. */
  rules: string[];
  behavior: Behavior;
  scope: Scope;
}

/** How long and for whom a remembered rule holds; `session` is the asking member's life. */
export type Scope = "session" | "team" | "project" | "user";

/** Params of `swarm/teammate/setModes`. */
export interface SetModesParams {
  modes: MemberMode[];
  team?: string;
}

export type Severity = "error" | "warning" | "information" | "hint";

/** Params of `swarm/teammate/spawn`. */
export interface SpawnParams {
  name: string;
  prompt: string;
  /** The kind of teammate; see docs/agents.md. */
  agentType?: string;
  /** How it runs; the setting's `teammateBackend` when absent. */
  backend?: BackendChoice;
  /** The same id again gives the same member. */
  callId?: string;
  color?: string;
  effort?: Effort;
  mode?: Mode;
  model?: string;
  /** It plans first: only what reads runs until the user approves its plan, which then sets the mode. */
  planModeRequired?: boolean;
  team?: string;
  /** It gets a git branch and a worktree of its own. */
  worktree?: boolean;
}

/** A place between two characters. */
export interface Spot {
  line: number;
  character: number;
}

/** Result of `swarm/state`. */
export interface StateResult {
  /** The `seq` of the last `swarm/event` that this state includes. */
  seq: number;
  teams: TeamView[];
  members: MemberView[];
  /** Pending ones, oldest first. */
  permissions: PermissionRequest[];
  plans: PlanRequest[];
  /** In the order made. */
  tasks: Task[];
}

export type Status = "pending" | "approved" | "rejected";

export type StopOutcome =
  | "stopped"
  | "alreadyEnded"
  /** Its model is asked; `memberEnded` or `shutdownRefused` follows. */
  | "asked";

/** Params of `swarm/teammate/stop`. */
export interface StopParams {
  member: string;
  /** End it now, whatever it does. */
  force?: boolean;
  /** Told to the teammate when it is asked. */
  reason?: string;
  team?: string;
}

export interface StopResult {
  outcome: StopOutcome;
}

/** A task, as `<root>/teams/<team>/tasks/<id>.json` keeps it. */
export interface Task {
  id: TaskId;
  subject: string;
  description: string;
  status: TaskStatus;
  /** Tasks that must be completed before this one is claimed. */
  blockedBy: TaskId[];
  owner?: AgentId;
}

/** Params of `swarm/task/create`. */
export interface TaskCreateParams {
  subject: string;
  blockedBy?: TaskId[];
  description?: string;
  team?: string;
}

/** Names one task of a team; given by the store, counted from 1. */
export type TaskId = string;

/** Params of `swarm/task/list`. */
export interface TaskListParams {
  team?: string;
}

export interface TaskListResult {
  tasks: Task[];
}

export type TaskStatus = "pending" | "in_progress" | "completed";

/** Params of `swarm/task/update`; what is not named stays. */
export interface TaskUpdateParams {
  id: TaskId;
  blockedBy?: TaskId[];
  description?: string;
  /** A member's name; an empty text gives the task back to the list. */
  owner?: string;
  status?: TaskStatus;
  subject?: string;
  team?: string;
}

/** Params of `swarm/team/create`. */
export interface TeamCreateParams {
  description?: string;
  /** The workspace folder's without it. */
  name?: string;
}

/** Params of `swarm/team/delete`. */
export interface TeamDeleteParams {
  name: string;
}

/** A team's name. */
export type TeamName = string;

export interface TeamView {
  name: TeamName;
  workspace: string;
  leadAgentId: AgentId;
  /** US dollars that all who were ever in it spent, as far as prices are known. */
  cost?: number;
  description?: string;
}

/** Params of `swarm/teammate/restart`, `swarm/teammate/show` and `swarm/teammate/hide`. */
export interface TeammateParams {
  member: string;
  team?: string;
}

/** Params of the notification `swarm/terminal/closed` to the server. */
export interface TerminalClosedParams {
  terminalId: string;
  /** How its process ended, when that is known. */
  exitCode?: number;
}

/** Params of the request `swarm/terminal/open` to the client. */
export interface TerminalOpenParams {
  /** The teammate's name. */
  title: string;
  /** An absolute path. It is started with `args` as they are, by no shell. */
  command: string;
  args: string[];
  /** An absolute path. */
  cwd: string;
  /** Set over what terminals of the editor have otherwise. */
  env: Record<string, string>;
  /** Runs without being shown until `swarm/terminal/show`. */
  hidden: boolean;
  /** The teammate's colour, when it has one. */
  color?: string;
}

/**
 * Result of `swarm/terminal/open`; params of `swarm/terminal/close`, `swarm/terminal/show` and
 * `swarm/terminal/hide`.
 */
export interface TerminalParams {
  /** The client's name for the terminal. */
  terminalId: string;
}

export interface Tokens {
  input: number;
  output: number;
  /** Input that the provider had in its cache. */
  cached: number;
}

export interface TranscriptParams {
  /** The `next` of an earlier answer. */
  after?: number;
  /** At most 1000, which is also the default. */
  limit?: number;
  member?: string;
  team?: string;
}

export interface TranscriptResult {
  entries: Entry[];
  /** Pass as `after` for what comes next. */
  next: number;
}

export type TurnEnd =
  | "interrupted"
  | "failed"
  /** The model stopped by itself. */
  | "completed";

/** One turn of one member. */
export type TurnId = string;

/** The git worktree that a member has for itself. */
export interface Worktree {
  /** Its top folder, absolute. */
  path: string;
  /** The branch that it was made with. */
  branch: string;
}
