// What breaks, and how the extension gets over it.
import assert from "node:assert/strict";
import { eventually } from "../wait.mjs";
import { call, mends, onDisk, say } from "../world.mjs";

export default [
  {
    name: "a server that is killed is started anew, and its question can still be answered",
    play: (workspace) => {
      const mend = mends(`${workspace}/greeting.txt`, "helo", "hello", "Changed");
      // It is told that its server ended, and begins anew.
      return { "team-lead": [...mend.slice(0, 2), { ...mend[0], expect: "The server ended" }, ...mend.slice(1)] };
    },
    async run({ window, workspace, editor }) {
      await window.openTeam();
      await window.say("Mend the greeting.");
      await window.says("1 needs you");
      const [server, ...others] = editor.servers(workspace);
      assert.deepEqual(others, []);
      process.kill(server.pid, "SIGKILL");
      await eventually("another server", () => {
        const [now] = editor.servers(workspace);
        return now && now.pid !== server.pid;
      });
      await window.conversation.locator("#history").getByText("The server ended in the middle").first().waitFor();
      const card = window.question("team-lead");
      await card.press("a");
      await eventually("the edit", () => onDisk(workspace, "greeting.txt") === "dear all,\nhello world\n");
      await window.conversation.getByText("So be it.").waitFor();
      await window.conversation.locator("#history .user", { hasText: "Mend the greeting." }).waitFor();
    },
  },
  {
    name: "a window that is loaded anew shows the same conversation and the draft, and a thousand entries stay smooth",
    play: (workspace) => ({
      "team-lead": [
        ...Array.from({ length: 50 }, (_, at) => ({
          reply: [{ say: `Step **${at}**.` }, ...Array(20).fill(call("Read", { path: `${workspace}/greeting.txt` }))],
        })),
        say("All read."),
      ],
    }),
    async run({ window }) {
      await window.openTeam();
      await window.say("Read it many times.");
      await window.conversation.getByText("All read.", { exact: true }).waitFor({ timeout: 60_000 });
      await window.composer.fill("a draft");
      // A frame of the page while it scrolls through all that is drawn, in milliseconds.
      const slowest = await window.conversation.locator("#scroller").evaluate(async (scroller) => {
        let [worst, last] = [0, performance.now()];
        for (let step = 0; step < 30; step += 1) {
          scroller.scrollTop = (scroller.scrollHeight * step) / 30;
          const now = await new Promise(requestAnimationFrame);
          worst = Math.max(worst, now - last);
          last = now;
        }
        scroller.scrollTop = scroller.scrollHeight;
        return worst;
      });
      assert(slowest < 500, `a frame took ${slowest} ms`);
      // A view that is hidden loses its page.
      await window.page.locator('.activitybar .action-label[aria-label^="Explorer"]').click();
      await window.composer.waitFor({ state: "detached" });
      await window.openTeam();
      await eventually("the draft", async () => (await window.composer.inputValue()) === "a draft");
      await window.page.reload();
      await window.conversation.getByText("All read.", { exact: true }).waitFor({ timeout: 60_000 });
      const drawn = await window.conversation.locator("#history > *").count();
      assert(drawn < 500, `${drawn} elements are drawn at first`);
      await window.conversation.locator("#scroller").evaluate((scroller) => {
        scroller.scrollTop = 0;
      });
      await eventually("earlier entries", async () => (await window.conversation.locator("#history > *").count()) > drawn);
    },
  },
];
