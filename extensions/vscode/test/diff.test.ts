// The changed lines that a question's card shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changedLines } from "../src/webview/diff.ts";

const shown = (before: string, after: string) =>
  changedLines(before, after).map(
    ({ kind, text }) => `${{ same: " ", gone: "-", new: "+", skip: "~" }[kind]}${text}`,
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
