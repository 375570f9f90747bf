// A member's conversation out of its history and what streams.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Thread } from "../src/conversation/thread.ts";
import { TurnText } from "../src/conversation/turntext.ts";
import type { Entry, Event, TranscriptResult } from "../src/protocol.ts";

const turnId = "turn-1";
const member = "ada@demo";

function thread() {
  const history: Entry[] = [];
  const ask = async <R>(_method: string, params: unknown) => {
    const { after, limit } = params as { after: number; limit: number };
    const entries = history.slice(after, after + limit);
    return { entries, next: after + entries.length } satisfies TranscriptResult as R;
  };
  const problems: unknown[] = [];
  const listener = {
    grew() {},
    replaced() {},
    live() {},
    failed: (problem: unknown) => problems.push(problem),
  };
  const made = new Thread(member, "demo", undefined, ask, listener);
  const take = (event: Event) => made.take({ seq: 0, team: "demo", event });
  return { history, thread: made, take, problems };
}

const said = (text: string): Entry => ({
  at: 0,
  turnId,
  role: "assistant",
  content: [{ type: "text", text }],
});

test("streamed text is shown once, though the history tells it too", async () => {
  const { history, thread: one, take } = thread();
  take({ kind: "text", member, turnId, text: "Hello " });
  take({ kind: "text", member, turnId, text: "world" });
  assert.equal(one.live.text, "Hello world");
  history.push(said("Hello world"));
  await one.read();
  assert.equal(one.live.text, "");
  assert.equal(one.entries.length, 1);
});

test("text that came after the entry stays", async () => {
  const { history, thread: one, take } = thread();
  take({ kind: "text", member, turnId, text: "First.Sec" });
  history.push(said("First."));
  await one.read();
  assert.equal(one.live.text, "Sec");
});

test("text that is heard after the history told it is not shown again", async () => {
  const { history, thread: one, take } = thread();
  history.push(said("First."), said("Second."));
  await one.read();
  take({ kind: "text", member, turnId, text: "First." });
  assert.equal(one.live.text, "");
  take({ kind: "text", member, turnId, text: "Second.Third" });
  assert.equal(one.live.text, "Third");
});

test("a turn that is over leaves nothing live", async () => {
  const { thread: one, take } = thread();
  take({ kind: "text", member, turnId, text: "given up" });
  take({ kind: "turnEnded", member, turnId, reason: "failed" });
  await one.read();
  assert.equal(one.live.text, "");
});

test("a call that is heard of after its result is in the history is not shown again", async () => {
  const { history, thread: one, take } = thread();
  history.push({ at: 0, role: "results", results: [{ isError: false, toolUseId: "t1", content: "ok" }] });
  await one.read();
  take({ kind: "toolStarted", member, turnId, toolUseId: "t1", name: "Bash", description: "Run true" });
  assert.deepEqual(one.live.calls, []);
});

test("who listens from the middle of a text shows no half of it twice", () => {
  const rest = (heard: string, told: string) => {
    const text = new TurnText(false);
    text.hear(heard);
    text.tell(told);
    return text.rest;
  };
  assert.equal(rest("world", "Hello world"), "");
  assert.equal(rest("small world. Next", "Hello small world."), " Next");
  assert.equal(rest("other", "Hello"), "other");
  assert.equal(rest("Hello. Next", "Hello."), " Next");
});

test("where stream and history differ, the history is right", () => {
  const text = new TurnText(true);
  text.hear("Hello  world");
  text.tell("Hello world!");
  assert.equal(text.rest, "");
});

test("a stream that is tried again loses what it had said", () => {
  const { thread: one, take } = thread();
  take({ kind: "text", member, turnId, text: "kept, lost" });
  take({ kind: "turnRestarted", member, turnId, attempt: 2, discardedText: ", lost" });
  assert.equal(one.live.text, "kept");
  take({ kind: "turnRestarted", member, turnId, attempt: 3, discardedText: "" });
  assert.equal(one.live.text, "kept");
});

test("a call is live until the history has its result", async () => {
  const { history, thread: one, take } = thread();
  take({ kind: "toolStarted", member, turnId, toolUseId: "t1", name: "Bash", description: "Run true" });
  take({ kind: "toolFinished", member, turnId, toolUseId: "t1", isError: false, content: "ok" });
  assert.deepEqual(one.live.calls[0]?.result, { content: "ok", isError: false });
  history.push({ at: 0, role: "results", results: [{ isError: false, toolUseId: "t1", content: "ok" }] });
  await one.read();
  assert.deepEqual(one.live.calls, []);
});

test("a prompt waits until the member has taken it up", async () => {
  const { history, thread: one } = thread();
  one.sending("Mend it");
  assert.deepEqual(one.live.waiting, ["Mend it"]);
  history.push({ at: 0, role: "user", text: "Mend it\n\n[From a.rs]\nfn main() {}" });
  await one.read();
  assert.deepEqual(one.live.waiting, []);
});

test("a history longer than a page is read to its end", async () => {
  const { history, thread: one, problems } = thread();
  for (let at = 0; at < 2500; at += 1) history.push({ at, role: "user", text: `${at}` });
  await one.read();
  assert.equal(one.entries.length, 2500);
  assert.deepEqual(problems, []);
});

test("events of other members change nothing", () => {
  const { thread: one, take } = thread();
  take({ kind: "text", member: "bob@demo", turnId, text: "mine" });
  assert.equal(one.live.text, "");
});

test("another conversation takes the place of what was shown", async () => {
  const { history, thread: one, take } = thread();
  history.push(said("A heron."));
  await one.read();
  take({ kind: "text", member, turnId, text: "A heron. And" });
  history.length = 0;
  history.push(said("A stork."));
  take({ kind: "conversationChanged", member, id: "conv-2" });
  await one.read();
  assert.deepEqual(one.entries, [said("A stork.")]);
  assert.equal(one.live.text, "");
});
