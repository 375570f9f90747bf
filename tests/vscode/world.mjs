// What the specs work on: a workspace each, and one scripted model that plays to all of their teams.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { start } from "./processes.mjs";

/** The workspace of a spec: `files` by their names, and the `play` of its team's agents. */
export function makeWorkspace(folder, name, files) {
  const workspace = join(folder, "workspaces", name);
  mkdirSync(workspace, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    writeFileSync(join(workspace, file), text);
  }
  const environment = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const git = (...args) => execFileSync("git", args, { cwd: workspace, env: environment });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=A", "-c", "user.email=a@example.invalid", "commit", "-q", "--allow-empty", "-m", "Start");
  return workspace;
}

export function onDisk(workspace, file) {
  return readFileSync(join(workspace, file), "utf8");
}

/**
 * Plays to every team: `plays` are `{team: {agent: steps}}`, where an agent of a team that has another name is
 * `agent@name`. So many `breaks` are requests that continue none before, as behind a summary or in another conversation.
 */
export async function startModel(program, folder, plays, breaks) {
  const agents = {};
  for (const [team, play] of Object.entries(plays)) {
    for (const [agent, steps] of Object.entries(play)) agents[agent.includes("@") ? agent : `${agent}@${team}`] = steps;
  }
  const script = join(folder, "script.json");
  writeFileSync(script, JSON.stringify({ agents }));
  const model = start(program, [script, String(breaks)]);
  const [, address] = await model.line(/(http:\S+)\n/);
  return {
    address,
    /** Ends it. What it found wrong in the requests is thrown. */
    async stop() {
      model.child.stdin.end();
      const code = await model.exit;
      if (code !== 0) throw new Error(`the model's complaints: ${model.output}`);
    },
  };
}

export const say = (...texts) => ({ reply: texts.map((text) => ({ say: text })) });
export const call = (tool, input) => ({ call: { tool, input } });

/** Who mends a file: reads it first, as an edit must, and ends when the result of the edit holds `told`. */
export function mends(path, old, now, told) {
  return [
    { reply: [{ say: "I look at it." }, call("Read", { path })] },
    { expect: old, reply: [call("Edit", { path, old_string: old, new_string: now })] },
    { expect: told, reply: [{ say: "So be it." }] },
  ];
}
