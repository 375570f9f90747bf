// Finding the server, keeping its key, and what it asks of the editor.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../wait.mjs";
import { call, mends, onDisk, say } from "../world.mjs";

const STAND_IN = join(import.meta.dirname, "../standin.mjs");
const KEY = "only-for-this-spec";
const WORDS = "two  words, 'quotes\" and $HOME";

export default [
  {
    name: "a server that is missing or too old is told, a key stays secret, and a teammate gets its terminal",
    async run({ window, editor, workspace, picture }) {
      const standIn = (how) => writeFileSync(join(workspace, "standin.json"), JSON.stringify(how));
      const heard = () =>
        onDisk(workspace, "standin.log")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line));
      await window.says("idle");

      editor.setOnMachine({ "swarm.server.path": "/nowhere/swarm-ls" });
      await window.notification("names /nowhere/swarm-ls, which is no program").first().waitFor();
      await picture("missing");

      standIn({});
      editor.setOnMachine({ "swarm.server.path": STAND_IN });
      await window.notification("speaks no Swarm protocol").first().waitFor();

      const args = ["-c", 'printf %s "$1" > said.txt; printf %s "$SAID" > env.txt; exec sleep 600', "bash", WORDS];
      const terminal = { title: "ada", command: "/bin/bash", args, cwd: workspace, env: { SAID: WORDS }, color: "green", hidden: false };
      standIn({ version: "1", terminal });
      await window.command("Swarm: Restart the Server");
      await eventually("what the terminal runs", () => onDisk(workspace, "env.txt") === WORDS);
      assert.equal(onDisk(workspace, "said.txt"), WORDS);
      await window.page.locator(".terminal-outer-container").waitFor();
      await picture("terminal");
      const opened = await eventually("the terminal's id", () => heard().find(({ id }) => id === "open"));
      await window.command("Terminal: Kill the Active Terminal Instance");
      const closed = await eventually("the news of its end", () => heard().find(({ method }) => method === "swarm/terminal/closed"));
      assert.equal(closed.params.terminalId, opened.result.terminalId);

      standIn({ version: "1" });
      await window.command("Swarm: Set the API Key");
      const input = window.page.locator('.quick-input-widget input[type="password"]');
      await input.fill(KEY);
      await input.press("Enter");
      await eventually("the key at the server", () =>
        heard().some(({ method, params }) => method === "initialize" && params.initializationOptions?.apiKey === KEY),
      );
      assert(!readFileSync(editor.userSettings, "utf8").includes(KEY));
      await window.command("Swarm: Forget the API Key");
      await window.notification("the key is forgotten").waitFor();

      editor.setOnMachine({});
      await eventually("our own server", () => editor.servers(workspace).length === 1);
      await window.says("idle");
    },
  },
  {
    name: "a teammate runs in a terminal of this window, edits what is open, ends with the window, and is there again",
    settings: { "swarm.teammateBackend": "editor-terminal" },
    play: (workspace) => ({
      "team-lead": [
        { reply: [call("SpawnTeammate", { name: "ada", prompt: "Mend the greeting." })] },
        say("Ada is on it."),
        say("I see."),
        say("I see."),
      ],
      ada: [...mends(`${workspace}/greeting.txt`, "helo", "hello", "Changed"), say("I am here again.")],
    }),
    async run({ window, editor, workspace, picture }) {
      const { page } = window;
      await window.openTeam();
      await window.say("Have it mended.");
      await window.says("1 needs you");
      await page.locator(".terminal-outer-container").waitFor();
      await picture("teammate-terminal");
      await page.keyboard.press("Control+Alt+Q");
      await window.conversation.locator("article").getByRole("button", { name: "Allow", exact: true }).first().click();
      await eventually("the edit", () => onDisk(workspace, "greeting.txt") === "dear all,\nhello world\n");
      await window.says("idle");
      const [before] = editor.teammates(workspace);
      await page.reload();
      await window.shows("ada", "asleep");
      await eventually("its end", () => editor.teammates(workspace).length === 0, () => [before, editor.teammates(workspace)]);
      await window.say("@ada Are you there?");
      await window.conversation.getByText("I am here again.").waitFor();
      await window.ofTerminal("Show", "ada");
      await window.seesTerminal("ada");
      await window.command("Terminal: Kill the Active Terminal Instance");
      await window.row("ada").filter({ hasText: "gone" }).waitFor();
    },
  },
  {
    name: "a workspace's settings cannot widen trust or move the provider, and the person's reach the running server",
    files: {
      "greeting.txt": "dear all,\nhelo world\n",
      ".vscode/settings.json": JSON.stringify({ "swarm.trust": "full", "swarm.baseUrl": "http://127.0.0.1:9" }),
    },
    play: (workspace) => ({ "team-lead": mends(`${workspace}/greeting.txt`, "helo", "hello", "Changed") }),
    async run({ window, editor, workspace }) {
      await window.openTeam();
      await window.say("Mend it.");
      await window.says("1 needs you");
      // A wider trust covers the open question.
      editor.setOnMachine({ "swarm.trust": "workspace" });
      await window.conversation.getByText("So be it.").waitFor();
      assert.equal(onDisk(workspace, "greeting.txt"), "dear all,\nhello world\n");
    },
  },
];
