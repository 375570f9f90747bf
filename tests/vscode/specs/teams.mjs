// A team of the person's own making, and its end.
import { call, say } from "../world.mjs";

export default [
  {
    name: "a team is made under a name, kept while a teammate runs, and deleted from its menu",
    play: () => ({
      "team-lead@birds": [
        { reply: [call("SpawnTeammate", { name: "ada", prompt: "Look at the greeting." })] },
        say("Ada looks at it."),
        say("I know."),
      ],
      "ada@birds": [say("I looked at it.")],
    }),
    async run({ window, picture }) {
      const { page } = window;
      const input = page.locator(".quick-input-widget input.input");
      await window.openTeam();
      await page.getByText("No team works here yet.").waitFor();
      await window.command("Swarm: New Team");
      await input.fill("a/b");
      await page.locator(".quick-input-message", { hasText: "Up to 64" }).waitFor();
      await input.fill("birds");
      await input.press("Enter");
      await window.row("birds").waitFor();

      await window.say("Have ada look at the greeting.");
      await window.row("ada").filter({ hasText: "idle" }).waitFor();
      await window.row("team-lead").filter({ hasText: "idle" }).waitFor();
      await picture("team");

      const remove = async () => {
        await window.row("birds").click({ button: "right" });
        // By the keyboard: a menu takes no click in its first moments.
        await page.locator(".monaco-menu .action-label", { hasText: "Delete the Team" }).hover();
        await page.keyboard.press("Enter");
        await page.locator(".monaco-dialog-box", { hasText: "Delete the team birds?" }).getByRole("button", { name: "Delete" }).click();
      };
      await remove();
      await window.notification("ada").waitFor();
      await picture("team-refused");
      await window.row("ada").hover();
      await window.row("ada").getByRole("button", { name: "Stop the Member" }).click();
      await page.locator(".monaco-dialog-box", { hasText: "Stop ada?" }).getByRole("button", { name: "Stop It Now" }).click();
      await window.row("ada").filter({ hasText: "stopped" }).waitFor();
      await remove();
      await window.row("birds").waitFor({ state: "detached" });
      await page.getByText("No team works here yet.").waitFor();
      await picture("team-deleted");
    },
  },
];
