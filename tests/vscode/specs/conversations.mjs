// Several conversations of a member: begun, listed, named, opened and summarised.
import assert from "node:assert/strict";
import { eventually } from "../wait.mjs";
import { say } from "../world.mjs";

const BEFORE_A_SUMMARY = "Your conversation is about to be replaced by a summary";

export default [
  {
    name: "a conversation is begun, an earlier one gets a title and is opened from the list, and it is summarised",
    // The new conversation, the earlier one again, and its summary.
    breaks: 3,
    play: () => ({
      "team-lead": [
        say("A heron."),
        say("A stork."),
        { expect: BEFORE_A_SUMMARY, reply: [{ say: "We spoke of a long-legged bird." }] },
        { expect: "We spoke of a long-legged bird.", reply: [{ say: "It had long legs." }] },
      ],
    }),
    async run({ window, picture }) {
      const { conversation } = window;
      const said = (text) => conversation.locator("#history .said", { hasText: text });
      const rests = () => window.row("team-lead").filter({ hasText: "idle" }).waitFor();
      const listed = window.page.locator(".quick-input-list .monaco-list-row");
      await window.openTeam();
      await window.say("Which bird?");
      await said("A heron.").waitFor();
      await rests();

      await window.command("Swarm: New Conversation");
      await said("A heron.").waitFor({ state: "detached" });
      await conversation.getByText("Say what the team should do.").waitFor();
      await window.say("And now?");
      await said("A stork.").waitFor();
      assert.equal(await said("A heron.").count(), 0);
      await rests();

      await window.command("Swarm: Conversations");
      const earlier = listed.filter({ hasText: "Which bird?" });
      await earlier.waitFor();
      await picture("conversations");
      await earlier.hover();
      await earlier.getByRole("button", { name: "Rename" }).click();
      const asked = window.page.locator(".quick-input-widget", { hasText: "The conversation's title" });
      const title = asked.locator("input.input");
      await eventually("its title", async () => (await title.inputValue()) === "Which bird?");
      await title.fill("Birds of the lake");
      await title.press("Enter");
      await asked.waitFor({ state: "hidden" });

      await window.page.getByRole("button", { name: "Conversations…" }).click();
      await listed.filter({ hasText: "Birds of the lake" }).click();
      await said("A heron.").waitFor();
      assert.equal(await said("A stork.").count(), 0);

      await window.command("Swarm: Summarise the Conversation");
      await window.notification("is summarised before its next request").waitFor();
      await window.say("What did it have?");
      await said("It had long legs.").waitFor();
      // What was said stays to be read.
      await said("A heron.").waitFor();
      await rests();
      await picture("summarised");
    },
  },
];
