// The manifest against what it speaks of.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const folder = join(import.meta.dirname, "..");
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const { contributes } = manifest;

test("every setting of the server can be set, but for the key, which is no setting here", () => {
  const page = readFileSync(join(folder, "../../docs/protocol.md"), "utf8");
  const table = page.slice(page.indexOf("| setting | is |"), page.indexOf("## Requests to the server"));
  const told = [...table.matchAll(/^\| `(\w+)` \|/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== "apiKey");
  const names = Object.keys(contributes.configuration.properties).map((name) => name.replace(/^swarm\./, ""));
  const server = names.filter((name) => !name.startsWith("server."));
  assert(told.length > 5);
  assert.deepEqual(server.sort(), told.sort());
});

test("what a repository could misuse does not count in a workspace's settings", () => {
  for (const name of ["server.path", "provider", "baseUrl", "trust", "resume", "budget"]) {
    assert.equal(contributes.configuration.properties[`swarm.${name}`].scope, "machine", name);
  }
});

test("menus, keys and steps name commands that are there, and no command has a name of the server's", () => {
  const commands = new Set(contributes.commands.map(({ command }: { command: string }) => command));
  const named = [...Object.values(contributes.menus).flat(), ...contributes.keybindings] as {
    command: string;
  }[];
  for (const { command } of named) assert(commands.has(command), command);
  // The language client registers those of the server under their own names.
  for (const command of commands) assert.match(String(command), /^swarmLs\./);
});

test("every file that the manifest names is there", () => {
  const steps = contributes.walkthroughs[0].steps.map(
    (step: { media: { markdown: string } }) => step.media.markdown,
  );
  for (const file of [manifest.icon, contributes.viewsContainers.activitybar[0].icon, ...steps]) {
    assert(existsSync(join(folder, file)), file);
  }
});
