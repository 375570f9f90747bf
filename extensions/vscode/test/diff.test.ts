// The changed lines that a question's card shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOf, hunkAt } from "../src/webview/diff.ts";

const shown = (before: string, after: string) =>
  changeOf(before, after).lines.map(
    ({ kind, text }) => `${{ same: " ", gone: "-", new: "+", skip: "~" }[kind]}${text.trimEnd()}`,
  );

test("a changed line is shown between its neighbours", () => {
  assert.deepEqual(shown("a\nb\nc\n", "a\nB\nc\n"), [" a", "-b", "+B", " c"]);
});

test("lines far from every change are left out", () => {
  const lines = Array.from({ length: 20 }, (_, at) => `${at}`);
  const after = lines.with(10, "ten");
  assert.deepEqual(shown(lines.join("\n"), after.join("\n")), [
    "~",
    " 7",
    " 8",
    " 9",
    "-10",
    "+ten",
    " 11",
    " 12",
    " 13",
    "~",
  ]);
});

test("a new file is all new, and an emptied one all gone", () => {
  assert.deepEqual(shown("", "a\nb\n"), ["+a", "+b"]);
  assert.deepEqual(shown("a\n", ""), ["-a"]);
});

test("lines that moved apart stay", () => {
  assert.deepEqual(shown("a\nb\nc\n", "a\nx\nb\ny\nc\n"), [" a", "+x", " b", "+y", " c"]);
});

test("each run of changed lines is a hunk, with its place in both texts", () => {
  const { hunks, lines } = changeOf("a\nb\nc\nb\ne\n", "A\nb\nc\nB\ne\nf\n");
  assert.deepEqual(hunks, [
    { before: { start: 0, end: 1 }, after: { start: 0, end: 1 } },
    { before: { start: 3, end: 4 }, after: { start: 3, end: 4 } },
    { before: { start: 5, end: 5 }, after: { start: 5, end: 6 } },
  ]);
  assert.deepEqual(
    lines.map(({ hunk }) => hunk),
    [0, 0, undefined, undefined, 1, 1, undefined, 2],
  );
});

test("a last line that gains its end is changed", () => {
  assert.deepEqual(shown("a\nb", "a\nb\n"), [" a", "-b", "+b"]);
});

test("a line is in its hunk, and an empty hunk has the lines beside it", () => {
  const { hunks } = changeOf("a\nb\nc\nd\n", "a\nB\nc\nx\nd\n");
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((line) => hunkAt(hunks, "after", line)),
    [undefined, 0, undefined, 1, undefined],
  );
  assert.deepEqual(
    [1, 2, 3].map((line) => hunkAt(hunks, "before", line)),
    [0, 1, 1],
  );
});
