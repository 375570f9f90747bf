// Drives the packaged extension in a real VS Code: node tests/vscode/run.mjs [SPEC...]
//
// TOOLS holds what tests/run installed, WORK is a folder to work in that keeps the pictures, with the packaged
// extension `swarm.vsix` in it; SWARM_SCRIPT_SERVE is the program that plays the model.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Editor } from "./editor.mjs";
import { killAll } from "./processes.mjs";
import { makeWorkspace, startModel } from "./world.mjs";

const { TOOLS: tools, WORK: work, SWARM_SCRIPT_SERVE: player } = process.env;
assert(tools && work && player, "TOOLS, WORK and SWARM_SCRIPT_SERVE must be set");

/** A spec that waits for something waits 20 s at most; a whole one takes well under this. */
const MOST_MILLISECONDS = 120_000;

const specsFolder = join(import.meta.dirname, "specs");
const wanted = process.argv.slice(2);
const files = readdirSync(specsFolder)
  .filter((file) => wanted.length === 0 || wanted.some((word) => file.includes(word)))
  .sort();
assert(files.length > 0, "no specs");

const folder = mkdtempSync(join(tmpdir(), "swarm vscode "));
const pictures = join(work, "pictures");
mkdirSync(pictures, { recursive: true });
process.on("exit", killAll);
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(1));

const specs = [];
for (const file of files) {
  const { default: listed } = await import(join(specsFolder, file));
  for (const spec of listed) specs.push({ file: basename(file, ".mjs"), ...spec });
}
const plays = {};
specs.forEach((spec, at) => {
  spec.team = `team${at}`;
  spec.workspace = makeWorkspace(folder, spec.team, spec.files ?? { "greeting.txt": "dear all,\nhelo world\n" });
  plays[spec.team] = spec.play?.(spec.workspace) ?? {};
});

let [passed, failed] = [0, 0];
let model;
let editor;
try {
  const breaks = specs.reduce((sum, spec) => sum + (spec.breaks ?? 0), 0);
  model = await startModel(player, folder, plays, breaks);
  editor = await Editor.start({
    tools,
    folder,
    vsix: join(work, "swarm.vsix"),
    environment: {
      PATH: process.env.PATH,
      SWARM_HOME: join(folder, "state"),
      ANTHROPIC_BASE_URL: model.address,
      ANTHROPIC_API_KEY: "only-for-tests",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
    },
  });
  for (const spec of specs) await run(spec);
} catch (error) {
  failed += 1;
  console.log(`FAILED: ${error.stack}`);
} finally {
  for (const part of [editor, model]) {
    try {
      await part?.stop();
    } catch (error) {
      failed += 1;
      console.log(`FAILED: ${error.message}`);
    }
  }
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

async function run(spec) {
  const begin = Date.now();
  let window;
  try {
    window = await editor.open(spec.workspace, spec);
    const picture = (name, width) => window.screenshot(join(pictures, `${name}.png`), width);
    const work = spec.run({ window, editor, workspace: spec.workspace, team: spec.team, picture });
    await within(MOST_MILLISECONDS, work);
    passed += 1;
    console.log(`ok   ${spec.name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${spec.name}\n${error.stack}`);
    await window?.screenshot(join(pictures, `failed-${spec.team}.png`)).catch(() => {});
  } finally {
    await window?.close().catch(() => {});
  }
}

async function within(milliseconds, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
