// Every way to answer a question.
import assert from "node:assert/strict";
import { eventually } from "../wait.mjs";
import { call, onDisk, say } from "../world.mjs";

const LINES = Array.from({ length: 12 }, (_, at) => `line ${at + 1}\n`);

export default [
  {
    name: "a note goes with a yes, a rule is kept, an input is edited, and a reject tells the agent why",
    play: () => ({
      "team-lead": [
        { reply: [call("Bash", { command: "echo one > one.txt" })] },
        { expect: "but no more", reply: [call("Bash", { command: "touch two.txt" })] },
        { reply: [call("Bash", { command: "touch three.txt" })] },
        { expect: "4.txt", reply: [call("Bash", { command: "echo five > five.txt" })] },
        { expect: "Leave it.", reply: [{ say: "I leave it." }] },
      ],
    }),
    async run({ window, workspace }) {
      await window.openTeam();
      await window.say("Make files.");
      let card = window.question("one.txt");
      await card.getByLabel("A note to the agent").fill("but no more");
      await card.getByRole("button", { name: "Allow", exact: true }).click();
      await eventually("the first file", () => onDisk(workspace, "one.txt"));

      card = window.question("two.txt");
      const rule = card.getByLabel("The rule to keep");
      assert.match(await rule.locator("option").first().innerText(), /touch two\.txt/);
      await card.getByRole("button", { name: "Allow always" }).click();
      await eventually("the second file", () => onDisk(workspace, "two.txt") === "");

      card = window.question("three.txt");
      await card.getByText("Edit the input").click();
      const input = card.getByLabel("The input as JSON");
      await input.fill("{");
      await card.getByRole("button", { name: "Allow with this input" }).click();
      await card.getByRole("alert").filter({ hasText: "no JSON" }).waitFor();
      await input.fill(JSON.stringify({ command: "touch 4.txt" }));
      await card.getByRole("button", { name: "Allow with this input" }).click();
      await eventually("the file of the edited input", () => onDisk(workspace, "4.txt") === "");

      card = window.question("five.txt");
      await card.getByLabel("A note to the agent").fill("Leave it.");
      await card.getByRole("button", { name: "Reject", exact: true }).click();
      await window.conversation.getByText("I leave it.").waitFor();
      assert.throws(() => onDisk(workspace, "five.txt"), { code: "ENOENT" });
      await window.conversation.locator('details.call[data-done="error"]', { hasText: "five.txt" }).waitFor();
    },
  },
  {
    name: "a change is looked at in the editor's diff, closed without an answer, taken in part, and accepted there",
    files: { "list.txt": LINES.join("") },
    play: (workspace) => {
      const path = `${workspace}/list.txt`;
      const edit = (old_string, new_string) => call("Edit", { path, old_string, new_string });
      const changed = LINES.with(1, "line two\n").with(10, "line eleven\n").join("");
      const half = LINES.with(10, "line eleven\n");
      return {
        "team-lead": [
          { reply: [call("Read", { path })] },
          { reply: [edit(LINES.join(""), changed)] },
          { expect: "line eleven", reply: [edit(half.join(""), half.with(0, "the start\n").with(11, "the end\n").join(""))] },
          say("Both are made."),
        ],
      };
    },
    async run({ window, workspace, picture }) {
      await window.openTeam();
      await window.say("Edit the list.");
      let card = window.question("list.txt");
      await card.getByRole("button", { name: "Diff" }).click();
      const tab = window.page.locator(".tab", { hasText: "list.txt: team-lead" });
      await tab.waitFor();
      await window.page.locator(".diff-hidden-lines, .line-insert").first().waitFor();
      await picture("diff");
      await window.command("View: Close Editor");
      await tab.waitFor({ state: "detached" });
      // Closing it answered nothing.
      await window.says("1 needs you");
      await card.getByLabel("Change 1 of 2").uncheck();
      await picture("hunks", 560);
      await card.getByRole("button", { name: "Allow", exact: true }).click();
      await eventually("half of the change", () => onDisk(workspace, "list.txt") === LINES.with(10, "line eleven\n").join(""));

      card = window.question("list.txt").filter({ hasText: "the end" });
      await card.press("d");
      await tab.waitFor();
      // In the diff, what is left out can be taken in again, and nothing at all is no change.
      const now = (text) => window.page.locator(".editor.modified .view-line", { hasText: text });
      const toggle = window.page.getByRole("button", { name: "Leave Out This Change" });
      const accept = window.page.getByRole("button", { name: "Accept the Change" });
      await now("the end").click();
      await toggle.click();
      await now("the start").click();
      await toggle.click();
      await accept.click();
      await window.notification("everything is left out").waitFor();
      await now("the end").click();
      await toggle.click();
      await picture("left-out");
      await accept.click();
      await eventually("the other change", () => onDisk(workspace, "list.txt").endsWith("the end\n"));
      assert(onDisk(workspace, "list.txt").startsWith("line 1\n"));
      await tab.waitFor({ state: "detached" });
      await window.conversation.getByText("Both are made.").waitFor();
    },
  },
];
