// Terminals of teammates over the end of a server and a reload of the window: each stays the one that is meant. One of
// them works in a git worktree.
import assert from "node:assert/strict";
import { eventually } from "../wait.mjs";
import { call, say } from "../world.mjs";

/** Gets ada, and hears of what its teammates did. */
const LEAD = [
  { reply: [call("SpawnTeammate", { name: "ada", prompt: "Be there." })] },
  say("Ada is there."),
  ...Array.from({ length: 9 }, () => say("I see.")),
];
const HERE = [say("I am here."), say("I am still here."), say("And here.")];

export default [
  {
    name: "terminals that are kept are found again by the next server, and in a window that is loaded anew",
    settings: { "swarm.teammateBackend": "editor-terminal", "swarm.keepTerminals": true },
    play: () => ({ "team-lead": LEAD, ada: HERE, bob: HERE }),
    async run({ window, editor, workspace, team, picture }) {
      const { page } = window;
      const processes = () => editor.teammates(workspace).map(({ pid }) => pid);
      await window.openTeam();
      await window.say("Get ada.");
      await window.shows("ada", "idle");
      await window.shows("team-lead", "idle");
      const [ada] = processes();
      const [server] = editor.servers(workspace);
      process.kill(server.pid, "SIGKILL");
      await eventually("another server", () => editor.servers(workspace).some(({ pid }) => pid !== server.pid));
      await window.shows("ada", "idle");

      // The next server opens a terminal of its own beside the one that it found.
      await window.command("Swarm: New Teammate");
      const input = page.locator(".quick-input-widget input.input");
      await page.locator(".quick-input-widget", { hasText: "its name" }).waitFor();
      await input.fill("bob");
      await input.press("Enter");
      await page.locator(".quick-input-widget", { hasText: "what bob should do" }).waitFor();
      await input.fill("Be there, too.");
      await input.press("Enter");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "In a git worktree" }).waitFor();
      await picture("new-teammate");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "In a git worktree" }).click();
      await window.shows("bob", "idle");
      await window.row("bob").filter({ hasText: `swarm/${team}/bob` }).waitFor();
      await window.seesTerminal("bob");
      await window.ofTerminal("Show", "ada");
      await window.seesTerminal("ada");
      await picture("terminals");
      const both = processes();
      assert.equal(both.length, 2);

      await page.reload();
      // The editor brings its terminals back first, and chooses which is in sight.
      const tab = (name) => page.locator(".tabs-list .monaco-list-row", { hasText: name });
      for (const name of ["ada", "bob"]) await tab(name).waitFor({ timeout: 40_000 });
      await window.shows("ada", "idle");
      await window.shows("bob", "idle");
      assert.deepEqual(processes(), both);
      for (const name of ["ada", "bob"]) {
        await window.ofTerminal("Show", name);
        await window.seesTerminal(name);
      }
      await window.ofTerminal("Hide", "bob");
      await page.locator(".terminal-outer-container").waitFor({ state: "hidden" });

      // One of them ends, and the other one's terminal stays.
      await window.row("ada").hover();
      await window.row("ada").getByRole("button", { name: "Stop the Member" }).click();
      await page.locator(".monaco-dialog-box").getByRole("button", { name: "Stop It Now" }).click();
      await window.shows("ada", "stopped");
      await eventually("the end of ada", () => !processes().includes(ada), processes);
      await window.ofTerminal("Show", "bob");
      await window.seesTerminal("bob");
      await picture("terminals-reloaded");
      await window.command("Terminal: Kill the Active Terminal Instance");
      await window.shows("bob", "gone");
      await eventually("the end of bob", () => processes().length === 0, processes);
    },
  },
];
