// Talking with the team in the side bar.
import assert from "node:assert/strict";
import { call, mends, onDisk, say } from "../world.mjs";
import { eventually } from "../wait.mjs";

const ANSWER = [
  "A program in **two** parts:\n\n```rust\nfn main() {\n    println!(\"hello\");\n}\n```\n\n",
  '<img src="x" onerror="document.body.id=\'taken\'"> and [a link](javascript:alert(1)).',
];

export default [
  {
    name: "a prompt in the side bar is answered there, and markup of the model stays text",
    play: () => ({ "team-lead": [say(...ANSWER)] }),
    async run({ window, picture }) {
      await window.says("idle");
      await window.openTeam();
      await window.say("What is it?");
      const said = window.conversation.locator("#history .said");
      await said.getByText("A program in two parts").waitFor();
      await said.locator("strong", { hasText: "two" }).waitFor();
      await said.locator(".hljs-keyword", { hasText: "fn" }).waitFor();
      await said.getByText("<img src=").waitFor();
      assert.equal(await window.conversation.locator("img, body#taken, a[href^=javascript]").count(), 0);
      await window.conversation.locator("#history .user", { hasText: "What is it?" }).waitFor();
      await window.row("team-lead").filter({ hasText: "idle" }).waitFor();
      await picture("answer-dark");
    },
  },
  {
    name: "a teammate's question is counted, opened from the status bar, and allowed by a key",
    play: (workspace) => ({
      "team-lead": [
        { reply: [call("SpawnTeammate", { name: "ada", prompt: "Mend greeting.txt." })] },
        say("ada is on it."),
        say("ada is done."),
      ],
      ada: mends(`${workspace}/greeting.txt`, "helo", "hello", "Changed"),
    }),
    async run({ window, workspace, picture }) {
      await window.openTeam();
      await window.say("Have the greeting mended.");
      await window.says("1 needs you");
      await window.row("ada").filter({ hasText: "needs you" }).waitFor();
      await window.page.locator(".activitybar .badge-content", { hasText: "1" }).waitFor();
      await window.status.click();
      const card = window.question("ada");
      await card.locator(".diff .new", { hasText: "hello world" }).waitFor();
      await eventually("the focus on the card", () => card.evaluate((element) => element === document.activeElement));
      await picture("question-dark", 560);
      await card.press("a");
      await eventually("the edit", () => onDisk(workspace, "greeting.txt") === "dear all,\nhello world\n");
      await card.waitFor({ state: "detached" });
      await window.says("idle");
    },
  },
];
