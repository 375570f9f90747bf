#!/usr/bin/env node
// A server in the place of ours, for what ours does not do: being too old, and asking for a terminal. It does what
// `standin.json` in its working directory says, `{version?, terminal?}`, and writes each message to `standin.log`.
import { appendFileSync, readFileSync } from "node:fs";

const { version, terminal } = JSON.parse(readFileSync("standin.json", "utf8"));
const EMPTY = { seq: 0, teams: [], members: [], permissions: [], plans: [], tasks: [] };

function send(message) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function receive(message) {
  appendFileSync("standin.log", `${JSON.stringify(message)}\n`);
  const { id, method } = message;
  if (method === "initialize") {
    send({ id, result: { capabilities: { experimental: version ? { swarm: { version } } : {} } } });
  } else if (method === "initialized" && terminal) {
    send({ id: "open", method: "swarm/terminal/open", params: terminal });
  } else if (method === "exit") {
    process.exit(0);
  } else if (method !== undefined && id !== undefined) {
    send({ id, result: method === "swarm/state" ? EMPTY : null });
  }
}

let input = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  input = Buffer.concat([input, chunk]);
  for (;;) {
    const head = input.indexOf("\r\n\r\n");
    if (head < 0) return;
    const length = Number(/Content-Length: (\d+)/i.exec(input.toString("latin1", 0, head))[1]);
    if (input.length < head + 4 + length) return;
    const body = input.toString("utf8", head + 4, head + 4 + length);
    input = input.subarray(head + 4 + length);
    receive(JSON.parse(body));
  }
});
process.stdin.on("end", () => process.exit(0));
