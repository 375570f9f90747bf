// The providers' own clients against the scripted model server: each has a refused call, a turn with reasoning
// and a tool, the turn after its result, which shows a picture, an answer without a stream, and a stream that is cut.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const TEXT = "I look at grün \u{1f980}, and then some more.";
const INPUT = { path: 'a "quoted" \u{1f980}\npath', deep: { list: [1, 2.5, null] } };
const SCHEMA = { type: "object", properties: { path: { type: "string" } } };
// A black pixel.
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
const PNG_URL = `data:image/png;base64,${PNG}`;
const STEPS = [
  { status: { code: 503, retryAfter: 0.01 } },
  { reply: [{ think: "Hmm, grün?" }, { say: TEXT }, { call: { tool: "Read", input: INPUT } }] },
  { expect: "the text", reply: [{ say: "Done." }] },
  { reply: [{ say: "Whole." }, { call: { tool: "Read", input: {} } }] },
];
// An agent of its own, so that its prompt need not go on from the others.
const CUT = [{ reply: [{ say: TEXT }], ending: { cutAfterEvents: 9 } }];
const cutAgent = (format) => `Your agent id is cut-${format}@peers.`;

let folder, server, lines, baseURL;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "peers-"));
  const script = join(folder, "script.json");
  const agents = {};
  for (const format of ["messages", "responses", "chat"]) {
    agents[format] = STEPS;
    agents[`cut-${format}`] = CUT;
  }
  await writeFile(script, JSON.stringify({ agents }));
  server = spawn(process.env.SWARM_SCRIPT_SERVE, [script], { stdio: ["pipe", "pipe", "inherit"] });
  lines = createInterface({ input: server.stdout });
  [baseURL] = await once(lines, "line");
});

after(async () => {
  const faults = [];
  lines.on("line", (line) => faults.push(line));
  const closed = once(server, "close");
  server.stdin.end();
  const [code] = await closed;
  await rm(folder, { recursive: true });
  assert.equal(code, 0, `the server found: ${faults.join("\n")}`);
});

test("Anthropic's client speaks the Messages format", async () => {
  const client = new Anthropic({ baseURL, apiKey: "key", maxRetries: 1 });
  const request = {
    model: "test-model",
    max_tokens: 1000,
    system: "Your agent id is messages@peers.",
    tools: [{ name: "Read", description: "Reads.", input_schema: SCHEMA }],
    messages: [{ role: "user", content: "Go." }],
  };
  const stream = client.messages.stream(request);
  let streamed = "";
  stream.on("text", (text) => (streamed += text));
  const first = await stream.finalMessage();
  assert.equal(streamed, TEXT);
  assert.equal(first.stop_reason, "tool_use");
  const [thinking, text, call] = first.content;
  assert.equal(thinking.thinking, "Hmm, grün?");
  assert.equal(text.text, TEXT);
  assert.deepEqual([call.name, call.input], ["Read", INPUT]);
  assert.ok(first.usage.input_tokens > 0 && first.usage.output_tokens > 0);

  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
  const shown = [{ type: "text", text: "the text" }, image];
  const result = { type: "tool_result", tool_use_id: call.id, content: shown };
  request.messages.push({ role: "assistant", content: first.content }, { role: "user", content: [result] });
  const second = await client.messages.stream(request).finalMessage();
  assert.equal(second.content[0].text, "Done.");
  assert.equal(second.stop_reason, "end_turn");
  assert.ok(second.usage.cache_read_input_tokens > 0);

  request.messages.push({ role: "assistant", content: second.content }, { role: "user", content: "More." });
  const whole = await client.messages.create(request);
  assert.equal(whole.content[0].text, "Whole.");
  assert.deepEqual(whole.content[1].input, {});
  await assert.rejects(client.messages.stream({ ...request, system: cutAgent("messages") }).finalMessage());
});

test("OpenAI's client speaks the Responses format", async () => {
  const client = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: "key", maxRetries: 1 });
  const request = {
    model: "test-model",
    instructions: "Your agent id is responses@peers.",
    tools: [{ type: "function", name: "Read", description: "Reads.", parameters: SCHEMA, strict: false }],
    input: [{ role: "user", content: "Go." }],
    store: false,
    include: ["reasoning.encrypted_content"],
  };
  const stream = client.responses.stream(request);
  let streamed = "";
  stream.on("response.output_text.delta", (event) => (streamed += event.delta));
  const first = await stream.finalResponse();
  assert.equal(streamed, TEXT);
  assert.equal(first.output_text, TEXT);
  assert.equal(first.status, "completed");
  const call = first.output.find((item) => item.type === "function_call");
  assert.deepEqual([call.name, JSON.parse(call.arguments)], ["Read", INPUT]);
  assert.ok(first.usage.total_tokens > 0);

  // What the client's own reader adds to an item is no part of the format.
  const items = first.output.map(({ parsed_arguments, ...item }) => {
    const content = item.content?.map(({ parsed, ...part }) => part);
    return content ? { ...item, content } : item;
  });
  const output = [
    { type: "input_text", text: "the text" },
    { type: "input_image", image_url: PNG_URL, detail: "auto" },
  ];
  request.input.push(...items, { type: "function_call_output", call_id: call.call_id, output });
  const events = [];
  for await (const event of await client.responses.create({ ...request, stream: true })) events.push(event);
  assert.deepEqual(events.map((event) => event.sequence_number), [...events.keys()]);
  assert.equal(events.at(-1).type, "response.completed");
  assert.equal(events.at(-1).response.output[0].content[0].text, "Done.");

  request.input.push({ role: "assistant", content: "Done." }, { role: "user", content: "More." });
  const whole = await client.responses.create(request);
  assert.equal(whole.output_text, "Whole.");
  await assert.rejects(client.responses.stream({ ...request, instructions: cutAgent("responses") }).finalResponse());
});

test("OpenAI's client speaks Chat Completions", async () => {
  const client = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: "key", maxRetries: 1 });
  const request = {
    model: "test-model",
    tools: [{ type: "function", function: { name: "Read", description: "Reads.", parameters: SCHEMA } }],
    messages: [
      { role: "system", content: "Your agent id is chat@peers." },
      { role: "user", content: "Go." },
    ],
  };
  const streaming = { ...request, stream: true, stream_options: { include_usage: true } };
  const stream = client.chat.completions.stream(streaming);
  let streamed = "";
  stream.on("content", (text) => (streamed += text));
  const first = await stream.finalChatCompletion();
  assert.equal(streamed, TEXT);
  assert.equal(first.choices[0].finish_reason, "tool_calls");
  assert.ok(first.usage.total_tokens > 0);
  const [call] = first.choices[0].message.tool_calls;
  assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ["Read", INPUT]);

  const { name, arguments: given } = call.function;
  const called = [{ id: call.id, type: "function", function: { name, arguments: given } }];
  request.messages.push(
    { role: "assistant", content: TEXT, tool_calls: called },
    { role: "tool", tool_call_id: call.id, content: "a picture" },
    { role: "user", content: [{ type: "text", text: "the text" }, { type: "image_url", image_url: { url: PNG_URL } }] },
  );
  const second = await client.chat.completions.stream({ ...request, stream: true }).finalChatCompletion();
  assert.equal(second.choices[0].message.content, "Done.");

  request.messages.push({ role: "assistant", content: "Done." }, { role: "user", content: "More." });
  const whole = await client.chat.completions.create(request);
  assert.equal(whole.choices[0].message.content, "Whole.");
  assert.equal(whole.choices[0].message.tool_calls.length, 1);
  const cut = [{ role: "system", content: cutAgent("chat") }, { role: "user", content: "Go." }];
  const broken = client.chat.completions.stream({ ...request, messages: cut, stream: true });
  await assert.rejects(broken.finalChatCompletion());
});
