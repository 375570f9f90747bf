// The team as known from state and events.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event, EventParams, MemberView, PermissionRequest, StateResult } from "../src/protocol.ts";
import { Feed } from "../src/team/feed.ts";
import { TeamModel } from "../src/team/model.ts";
import { teamInAWord } from "../src/team/words.ts";

const ada: MemberView = {
  agentId: "ada@demo",
  name: "ada",
  team: "demo",
  state: "working",
  toolCalls: 0,
  tokens: { input: 0, output: 0, cached: 0 },
  mode: "default",
  backend: "in-process",
};

const question = { id: "perm-1", workerId: "ada@demo", workerName: "ada" } as PermissionRequest;

function stateAt(seq: number, more: Partial<StateResult> = {}): StateResult {
  const team = { name: "demo", workspace: "/w", leadAgentId: "team-lead@demo" };
  return {
    seq,
    teams: [team],
    members: [ada],
    permissions: [],
    plans: [],
    tasks: [],
    ...more,
  } as StateResult;
}

function at(seq: number, event: Event): EventParams {
  return { seq, team: "demo", event };
}

/** A feed over a server that answers with these states, one after the other. */
function feed(...states: StateResult[]) {
  const model = new TeamModel();
  const seen: string[] = [];
  const ask = async <R>() => {
    const state = states.shift();
    if (!state) throw new Error("asked once too often");
    return state as R;
  };
  const listener = {
    healed: () => seen.push("healed"),
    event: ({ seq }: EventParams) => seen.push(String(seq)),
    lost: (problem: unknown) => seen.push(`lost: ${problem}`),
  };
  return { model, seen, feed: new Feed(model, ask, listener) };
}

test("events that the state includes already are not taken twice", async () => {
  const { model, seen, feed: one } = feed(stateAt(5));
  const reading = one.heal();
  one.take(at(5, { kind: "permissionRequested", request: question }));
  one.take(at(6, { kind: "memberChanged", member: { ...ada, state: "idle" } }));
  await reading;
  assert.deepEqual(seen, ["healed", "6"]);
  assert.equal(model.questions.size, 0);
  assert.equal(model.members.get("ada@demo")?.state, "idle");
});

test("a gap in the events is healed by the whole state", async () => {
  const { model, seen, feed: one } = feed(stateAt(1), stateAt(9, { permissions: [question] }));
  await one.heal();
  one.take(at(4, { kind: "memberChanged", member: ada }));
  await new Promise(setImmediate);
  assert.deepEqual(seen, ["healed", "healed"]);
  assert.equal(model.oldestQuestion?.id, "perm-1");
  one.take(at(10, { kind: "permissionResolved", id: "perm-1", allowed: true }));
  assert.deepEqual(seen, ["healed", "healed", "10"]);
  assert.equal(model.oldestQuestion, undefined);
});

test("the first event of a team that is not known yet has the state read", async () => {
  const { model, seen, feed: one } = feed(stateAt(0, { teams: [], members: [] }), stateAt(1));
  await one.heal();
  one.take(at(1, { kind: "memberChanged", member: ada }));
  await new Promise(setImmediate);
  assert.deepEqual(seen, ["healed", "1", "healed"]);
  assert.equal(model.teams[0]?.name, "demo");
});

test("a state that cannot be read is told, and the next event tries again", async () => {
  const { seen, feed: one } = feed();
  await one.heal();
  assert.deepEqual(seen, ["lost: Error: asked once too often"]);
});

test("a feed that ended takes nothing more", async () => {
  const { model, seen, feed: one } = feed(stateAt(1));
  const reading = one.heal();
  one.end();
  await reading;
  assert.deepEqual(seen, []);
  assert.equal(model.teams.length, 0);
});

test("the status says who works and how many questions wait", () => {
  assert.equal(teamInAWord([ada, ada, { ...ada, state: "idle" }], 1), "2 working · 1 needs you");
  assert.equal(teamInAWord([{ ...ada, state: "waiting" }], 3), "3 need you");
  assert.equal(teamInAWord([], 0), "idle");
});
