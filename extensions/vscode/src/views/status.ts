// The item in the status bar: what the team does, and whether someone waits for an answer.
import {
  type Disposable,
  MarkdownString,
  StatusBarAlignment,
  type StatusBarItem,
  ThemeColor,
  window,
} from "vscode";
import type { Session } from "../session.ts";
import { STATE_WORDS, teamInAWord } from "../team/words.ts";

export class StatusItem implements Disposable {
  private readonly item: StatusBarItem;
  private readonly session: Session;
  private readonly listener: Disposable;

  constructor(session: Session) {
    this.session = session;
    this.item = window.createStatusBarItem("swarmLs.status", StatusBarAlignment.Left, 50);
    this.item.name = "Swarm";
    this.listener = session.onDidChange(() => this.draw());
    this.draw();
    this.item.show();
  }

  dispose(): void {
    this.listener.dispose();
    this.item.dispose();
  }

  private draw(): void {
    const { item } = this;
    const { health, model } = this.session;
    item.backgroundColor = undefined;
    if (health.state === "failed") {
      item.text = "$(error) Swarm";
      item.tooltip = health.problem;
      item.command = "swarmLs.restartServer";
      item.backgroundColor = new ThemeColor("statusBarItem.errorBackground");
    } else if (health.state !== "running") {
      item.text = health.state === "starting" ? "$(loading~spin) Swarm" : "$(circle-slash) Swarm";
      item.tooltip = health.state === "starting" ? "The Swarm server starts" : "The Swarm server is stopped";
      item.command = "swarmLs.showLog";
    } else {
      const questions = model.open;
      item.text = `$(organization) ${teamInAWord(model.members.values(), questions)}`;
      item.tooltip = this.tooltip();
      item.command = questions > 0 ? "swarmLs.openOldestQuestion" : "swarmLs.conversation.focus";
      if (questions > 0) item.backgroundColor = new ThemeColor("statusBarItem.warningBackground");
    }
    item.accessibilityInformation = {
      label: `Swarm: ${item.text.replace(/\$\([^)]*\) ?/, "")}`,
      role: "button",
    };
  }

  private tooltip(): MarkdownString {
    const { model } = this.session;
    const text = new MarkdownString();
    for (const team of model.teams) {
      text.appendMarkdown("**").appendText(team.name).appendMarkdown("**\n\n");
      for (const member of model.membersOf(team)) {
        const what = member.tool ? `: ${member.tool}` : "";
        text
          .appendMarkdown("- ")
          .appendText(`${member.name} ${STATE_WORDS[member.state]}${what}`)
          .appendMarkdown("\n");
      }
    }
    if (model.teams.length === 0) text.appendText("No team yet: the first prompt makes one.");
    return text;
  }
}
