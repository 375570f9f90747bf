// The team in the activity bar: tasks, plans, and going back.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../wait.mjs";
import { call, onDisk, say } from "../world.mjs";

const PLAN = "# Plan\n\n1. Write `a.txt`.\n2. Look at it.\n";

export default [
  {
    name: "tasks and a plan are shown, the plan is rejected, then approved, and the workspace is given back as it was",
    theme: "light",
    play: (workspace) => ({
      "team-lead": [
        { reply: [call("TaskCreate", { subject: "Write a.txt" })] },
        { reply: [call("TaskCreate", { subject: "Look at a.txt", blocked_by: ["1"] })] },
        { reply: [call("SpawnTeammate", { name: "ada", prompt: "Write a.txt.", mode: "plan" })] },
        say("Ada plans."),
      ],
      ada: [
        { reply: [call("ExitPlanMode", { plan: PLAN })] },
        { expect: "Shorter.", reply: [call("ExitPlanMode", { plan: "Write `a.txt`." })] },
        { expect: "acceptEdits", reply: [call("Write", { path: `${workspace}/a.txt`, content: "x\n" })] },
        say("It is written."),
      ],
    }),
    async run({ window, workspace, picture }) {
      await window.openTeam();
      await window.say("Have a.txt written.");
      await window.says("1 needs you");
      await window.row("Write a.txt").waitFor();
      await window.row("Look at a.txt").filter({ hasText: "waits for #1" }).waitFor();
      await window.page.keyboard.press("Control+Alt+Q");
      const card = window.conversation.locator("article.plan");
      await card.getByRole("heading", { name: "Plan", exact: true }).waitFor();
      await eventually("the focus on the card", () => card.evaluate((element) => element === document.activeElement));
      await picture("plan-light", 560);
      await card.getByLabel("A note to the agent").fill("Shorter.");
      await card.getByRole("button", { name: "Reject" }).click();

      const second = card.filter({ hasNotText: "Look at it." });
      await second.getByLabel("What the member may do from then on").selectOption("Accept edits");
      await second.getByRole("button", { name: "Approve" }).click();
      await eventually("what was planned", () => onDisk(workspace, "a.txt") === "x\n");
      await window.says("idle");

      await window.conversation.getByLabel("Member", { exact: true }).selectOption({ label: "ada · idle" });
      await window.conversation.getByText("It is written.", { exact: true }).waitFor();

      await window.command("Swarm: Give the Workspace Back as It Was");
      await window.page.locator(".quick-input-list .monaco-list-row", { hasText: "a.txt" }).first().click();
      await eventually("the workspace without it", () => !existsSync(join(workspace, "a.txt")));
      await window.notification("1 file is as before").getByRole("button", { name: "Undo" }).click();
      await eventually("the workspace with it", () => existsSync(join(workspace, "a.txt")));
    },
  },
  {
    name: "a turn is interrupted by Escape, and `@` names members and files that go with a message",
    play: () => ({
      "team-lead": [
        { reply: [{ say: "I think about it" }], ending: { hangAfterEvents: 4 } },
        { expect: ["[From ", "helo world"], reply: [{ say: "It lacks an l." }] },
      ],
    }),
    async run({ window }) {
      await window.openTeam();
      await window.say("Think.");
      await window.says("1 working");
      await window.conversation.locator("#interrupt").waitFor();
      await window.composer.press("Escape");
      await window.conversation.getByText("The user interrupted this turn.").waitFor();
      await window.says("idle");

      await window.command("Go to File...");
      await window.page.keyboard.type("greeting.txt");
      await window.page.locator(".quick-input-list .monaco-list-row", { hasText: "greeting.txt" }).first().click();
      await window.page.locator(".editor-instance .view-line", { hasText: "helo world" }).click();
      await window.page.keyboard.press("Control+A");
      await window.page.keyboard.press("Control+Alt+K");
      const attached = window.conversation.locator("#attached li", { hasText: /greeting\.txt:1-\d/ });
      await attached.getByRole("button").click();
      await attached.waitFor({ state: "detached" });

      await window.composer.pressSequentially("@team");
      await window.conversation.getByRole("option", { name: "@team-lead" }).waitFor();
      await window.composer.press("Tab");
      await window.composer.pressSequentially("What is wrong in @greet");
      await window.conversation.getByRole("option", { name: "greeting.txt" }).waitFor();
      await window.composer.press("Enter");
      assert.equal(await window.composer.inputValue(), "@team-lead What is wrong in @greeting.txt ");
      await window.composer.press("Enter");
      await window.conversation.getByText("It lacks an l.").waitFor();
      await window.conversation.locator("details.attachment", { hasText: "greeting.txt" }).waitFor();
    },
  },
];
