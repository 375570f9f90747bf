// The messages of `swarm/*`, as docs/protocol.md lists them and server/wire/src/lsp.rs defines them.

export type MemberState =
  | "starting"
  | "working"
  | "idle"
  | "waiting"
  | "planning"
  | "rateLimited"
  | "paused"
  | "stalled"
  | "completed"
  | "failed"
  | "killed"
  | "gone";

export type Mode = "default" | "acceptEdits" | "plan" | "dontAsk" | "bypassPermissions";
export type Level = "readOnly" | "changesFiles" | "runsCode" | "leavesMachine" | "destroys";
export type Scope = "session" | "team" | "project" | "user";

export interface Tokens {
  input: number;
  output: number;
  cached: number;
}

export interface TeamView {
  name: string;
  description?: string;
  workspace: string;
  leadAgentId: string;
  cost?: number;
}

export interface MemberView {
  agentId: string;
  name: string;
  team: string;
  color?: string;
  state: MemberState;
  turnId?: string;
  tool?: string;
  running?: string[];
  toolCalls?: number;
  lastActivity?: number;
  asleep?: boolean;
  interrupted?: boolean;
  tokens: Tokens;
  cost?: number;
  mode: Mode;
  backend: string;
  model?: string;
  effort?: string;
}

export interface RuleUpdate {
  rules: string[];
  behavior: "allow" | "ask" | "deny";
  scope: Scope;
}

export interface FileChange {
  path: string;
  before?: string;
  after: string;
}

export interface PermissionRequest {
  id: string;
  workerId: string;
  workerName: string;
  workerColor?: string;
  teamName: string;
  toolName: string;
  toolUseId: string;
  description: string;
  level: Level;
  why?: string;
  input: unknown;
  change?: FileChange;
  permissionSuggestions?: RuleUpdate[];
  status: "pending" | "approved" | "rejected";
  batch?: string;
  createdAt: number;
}

/** A member in the mode `plan` wants to go to work. */
export interface PlanRequest {
  id: string;
  member: string;
  name: string;
  team: string;
  color?: string;
  plan: string;
  document: string;
  createdAt: number;
  reviewing?: boolean;
}

export interface PlanResolveParams {
  id: string;
  approve: boolean;
  feedback?: string;
  mode?: Mode;
  team?: string;
}

export interface Checkpoint {
  id: string;
  member?: string;
  turnId?: string;
  summary: string;
  createdAt: number;
}

/** Lines counted from 0; `end` is the first that is not among them. */
export interface LineRange {
  start: number;
  end: number;
}

export interface Hunk {
  before: LineRange;
  after: LineRange;
}

export interface Task {
  id: string;
  subject: string;
  description?: string;
  status: "pending" | "in_progress" | "completed";
  owner?: string;
  blockedBy?: string[];
}

export interface StateResult {
  seq: number;
  teams: TeamView[];
  members: MemberView[];
  permissions: PermissionRequest[];
  plans: PlanRequest[];
  tasks: Task[];
}

export type Block =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: unknown }
  | { type: "opaque"; item: unknown };

export interface CallResult {
  toolUseId: string;
  content: string;
  isError?: boolean;
}

export type Body =
  | { role: "user"; text: string; mail?: string[] }
  | { role: "assistant"; content: Block[] }
  | { role: "results"; results: CallResult[] }
  | { role: "compacted"; summary: string; carried?: string[] }
  | { role: "ended"; reason: string; unfinished?: boolean };

export type Entry = { at: number; turnId?: string } & Body;

export interface TranscriptResult {
  entries: Entry[];
  next: number;
}

export type Event =
  | { kind: "teamChanged"; team?: TeamView }
  | { kind: "memberChanged"; member: MemberView }
  | { kind: "text"; member: string; turnId: string; text: string }
  | {
      kind: "toolStarted";
      member: string;
      turnId: string;
      toolUseId: string;
      name: string;
      description: string;
    }
  | {
      kind: "toolFinished";
      member: string;
      turnId: string;
      toolUseId: string;
      isError: boolean;
      content: string;
    }
  | { kind: "permissionRequested"; request: PermissionRequest }
  | { kind: "permissionResolved"; id: string; allowed?: boolean; resolvedBy?: string }
  | { kind: "planRequested"; plan: PlanRequest }
  | { kind: "planResolved"; id: string; member: string; approved?: boolean; mode?: Mode }
  | { kind: "message"; from: string; to: string; id: string; summary?: string; text: string }
  | { kind: "compacted"; member: string; before: number; after: number }
  | { kind: "taskChanged"; task: Task }
  | { kind: "checkpointMade"; checkpoint: Checkpoint }
  | { kind: "checkpointRestored"; id: string; files: string[] }
  | { kind: "turnRestarted"; member: string; turnId: string; attempt: number; discardedText: string }
  | {
      kind: "turnEnded";
      member: string;
      turnId: string;
      reason: "completed" | "interrupted" | "failed";
      detail?: string;
    }
  | { kind: "memberEnded"; member: string; outcome: MemberState; summary?: string; reason?: string }
  | { kind: "shutdownRefused"; member: string; reason: string }
  | { kind: "warning"; text: string };

export interface EventParams {
  seq: number;
  team: string;
  event: Event;
}

export interface ResolveParams {
  ids: string[];
  decision: "allow" | "reject";
  updatedInput?: unknown;
  hunks?: Hunk[];
  feedback?: string;
  remember?: RuleUpdate;
}

export interface ResolveResult {
  results: { id: string; outcome: "resolved" | "alreadyResolved" | "unknown" }[];
}

export interface TerminalOpenParams {
  title: string;
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  color?: string;
  hidden: boolean;
}

export interface TerminalParams {
  terminalId: string;
}
