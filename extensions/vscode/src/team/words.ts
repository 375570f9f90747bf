// How members, modes and questions are called and coloured. Pure.
import type { Level, MemberState, MemberView, Mode, RuleUpdate, Scope } from "../protocol.ts";

export const STATE_WORDS: Record<MemberState, string> = {
  starting: "starting",
  working: "working",
  idle: "idle",
  waiting: "needs you",
  planning: "planning",
  rateLimited: "waits for the provider",
  paused: "paused: its budget is spent",
  stalled: "stalled",
  completed: "completed",
  failed: "failed",
  killed: "stopped",
  gone: "gone",
};

export const MODE_WORDS: Record<Mode, { name: string; detail: string }> = {
  default: { name: "Default", detail: "Asks before it changes files, runs code or leaves the machine" },
  acceptEdits: { name: "Accept edits", detail: "Edits of the workspace go through unasked" },
  plan: { name: "Plan", detail: "Only reads, and proposes a plan" },
  dontAsk: { name: "Don't ask", detail: "What would ask is refused" },
  bypassPermissions: {
    name: "Bypass permissions",
    detail: "Nearly nothing asks: for machines that may be lost",
  },
};

export const LEVEL_WORDS: Record<Level, string> = {
  readOnly: "reads",
  changesFiles: "changes files",
  runsCode: "runs code",
  leavesMachine: "leaves the machine",
  destroys: "destroys",
};

export const SCOPE_WORDS: Record<Scope, string> = {
  session: "for this member's life",
  team: "for the team",
  project: "in this project",
  user: "everywhere",
};

/** The colours that members have, as the theme shows them. */
const THEME_COLORS: Record<string, string> = {
  red: "charts.red",
  blue: "charts.blue",
  yellow: "charts.yellow",
  orange: "charts.orange",
  green: "charts.green",
  purple: "charts.purple",
  pink: "terminal.ansiBrightMagenta",
  magenta: "terminal.ansiMagenta",
  cyan: "terminal.ansiCyan",
};

/** The theme's colour for a member's; absent when it has none or one unknown here. */
export function themeColor(color: string | undefined): string | undefined {
  return color === undefined ? undefined : THEME_COLORS[color.toLowerCase()];
}

export function hasEnded(state: MemberState): boolean {
  return state === "completed" || state === "failed" || state === "killed" || state === "gone";
}

export function isAtWork(state: MemberState): boolean {
  return state === "starting" || state === "working" || state === "planning" || state === "rateLimited";
}

/** "3 working · 1 needs you"; what there is none of is left out. */
export function teamInAWord(members: Iterable<MemberView>, questions: number): string {
  let working = 0;
  for (const member of members) if (isAtWork(member.state)) working += 1;
  const parts: string[] = [];
  if (working > 0) parts.push(`${working} working`);
  if (questions > 0) parts.push(questions === 1 ? "1 needs you" : `${questions} need you`);
  return parts.join(" · ") || "idle";
}

/** "Bash(cargo test) for the team". */
export function ruleInWords(update: RuleUpdate): string {
  return `${update.rules.join(", ")} ${SCOPE_WORDS[update.scope]}`;
}

/** 12 300 as "12.3k". */
export function short(count: number): string {
  if (count < 1000) return String(count);
  const [unit, by] = count < 1_000_000 ? (["k", 1000] as const) : (["M", 1_000_000] as const);
  const scaled = count / by;
  return `${scaled < 100 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}

/** Milliseconds as "8 s", "3 min" or "2 h". */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
