// The changed lines of a text, with some around them, and the hunks that they make. Pure.
import type { Hunk } from "../protocol.ts";

export interface Line {
  kind: "same" | "gone" | "new" | "skip";
  text: string;
  /** Which hunk it belongs to, counted from 0; none for a line that stays. */
  hunk?: number;
}

/** How many unchanged lines are shown on each side. */
const AROUND = 3;
/** Where more lines than this differ on a side, the middle is shown as wholly replaced. */
const MOST = 1500;

export interface Change {
  lines: Line[];
  /** What changes, each of lines that follow each other. */
  hunks: Hunk[];
}

export function changeOf(before: string, after: string): Change {
  const [old, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail))
    tail += 1;
  const middle = compare(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  const same = (text: string): Line => ({ kind: "same", text });
  const all = [...old.slice(0, head).map(same), ...middle, ...old.slice(old.length - tail).map(same)];
  const hunks = numberHunks(all);
  return { lines: withoutFarLines(all), hunks };
}

export type Side = "before" | "after";

/** Which hunk has the line on that side; one that is empty there has the lines beside it. */
export function hunkAt(hunks: readonly Hunk[], side: Side, line: number): number | undefined {
  const has = ({ start, end }: { start: number; end: number }) =>
    start === end ? line === start || line === start - 1 : line >= start && line < end;
  const index = hunks.findIndex((hunk) => has(hunk[side]));
  return index < 0 ? undefined : index;
}

/** Says of each changed line which hunk it is of, and where the hunks are. */
function numberHunks(lines: Line[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [old, now] = [0, 0];
  let open: Hunk | undefined;
  for (const line of lines) {
    if (line.kind === "same") {
      open = undefined;
    } else {
      if (!open) {
        open = { before: { start: old, end: old }, after: { start: now, end: now } };
        hunks.push(open);
      }
      line.hunk = hunks.length - 1;
      (line.kind === "gone" ? open.before : open.after).end += 1;
    }
    if (line.kind !== "new") old += 1;
    if (line.kind !== "gone") now += 1;
  }
  return hunks;
}

function linesOf(text: string): string[] {
  // With their ends: a last line that gains or loses its own is another one, as it is to the server.
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/** The longest common lines stay; what is left on either side is gone or new. */
function compare(old: string[], now: string[]): Line[] {
  const gone = (text: string): Line => ({ kind: "gone", text });
  const fresh = (text: string): Line => ({ kind: "new", text });
  if (old.length > MOST || now.length > MOST) return [...old.map(gone), ...now.map(fresh)];
  // common[i][j]: the length of the longest common subsequence of what follows i and j.
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [before, after] = [old[i], now[j]];
    if (before !== undefined && before === after) {
      lines.push({ kind: "same", text: before });
      i += 1;
      j += 1;
    } else if (before !== undefined && (after === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(gone(before));
      i += 1;
    } else if (after !== undefined) {
      lines.push(fresh(after));
      j += 1;
    }
  }
  return lines;
}

function withoutFarLines(lines: Line[]): Line[] {
  const near = new Uint8Array(lines.length);
  lines.forEach((line, at) => {
    if (line.kind !== "same") near.fill(1, Math.max(0, at - AROUND), at + AROUND + 1);
  });
  const shown: Line[] = [];
  lines.forEach((line, at) => {
    if (near[at]) shown.push(line);
    else if (shown.at(-1)?.kind !== "skip") shown.push({ kind: "skip", text: "" });
  });
  return shown;
}
