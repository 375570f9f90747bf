// What the conversation's page and the extension say to each other.
import type {
  Entry,
  PermissionRequest,
  PermissionResolveParams,
  PlanRequest,
  PlanResolveParams,
} from "../protocol.ts";

/** A member as the page shows it. */
export interface MemberLine {
  id: string;
  name: string;
  /** A colour of the theme, as a CSS variable's name. */
  color?: string;
  state: string;
  tool?: string;
  busy: boolean;
  tokens: string;
  cost?: string;
  mode: string;
  isLead: boolean;
}

/** A call that is not, or not wholly, in the history yet. */
export interface LiveCall {
  id: string;
  name: string;
  description: string;
  result?: { content: string; isError: boolean };
}

export interface Live {
  /** What the model said since the last entry. */
  text: string;
  calls: LiveCall[];
  /** Prompts that the member has not taken up yet. */
  waiting: string[];
}

export interface Attached {
  label: string;
  /** What the page names it by when it is to be left out. */
  key: string;
}

export interface Completion {
  label: string;
  detail: string;
  /** What stands in the text in place of what was typed. */
  insert: string;
}

export type ToPage =
  | { type: "members"; members: MemberLine[]; selected?: string; problem?: string }
  /** The whole history so far; what was shown goes. */
  | { type: "history"; member: string; entries: Entry[] }
  | { type: "entries"; entries: Entry[] }
  | { type: "live"; live: Live }
  | { type: "questions"; questions: PermissionRequest[]; plans: PlanRequest[] }
  | { type: "focusQuestion"; id: string }
  | { type: "focusComposer" }
  | { type: "draft"; text: string }
  | { type: "attached"; attached: Attached[] }
  | { type: "completions"; query: string; completions: Completion[] }
  /** The prompt was refused: its text comes back. */
  | { type: "refused"; text: string };

export type FromPage =
  | { type: "ready" }
  | { type: "select"; member: string }
  | { type: "send"; text: string }
  | { type: "draft"; text: string }
  | { type: "interrupt" }
  | { type: "resolve"; params: PermissionResolveParams }
  | { type: "resolvePlan"; params: PlanResolveParams }
  | { type: "diff"; id: string }
  | { type: "open"; path: string }
  | { type: "link"; address: string }
  | { type: "detach"; key: string }
  | { type: "complete"; query: string };
