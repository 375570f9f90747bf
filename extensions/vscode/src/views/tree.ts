// The team in the activity bar: teams with their members, then the tasks; its badge counts the open questions.
import {
  type Disposable,
  EventEmitter,
  MarkdownString,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  type TreeView,
  window,
} from "vscode";
import type { MemberView, Task, TeamView } from "../protocol.ts";
import type { Session } from "../session.ts";
import { duration, hasEnded, isAtWork, MODE_WORDS, STATE_WORDS, short, themeColor } from "../team/words.ts";

export type Node =
  | { kind: "team"; team: TeamView }
  | { kind: "member"; member: MemberView }
  | { kind: "tasks" }
  | { kind: "task"; task: Task };

/**
 * Changes that come together are drawn together, this many milliseconds after the first. The editor draws a tree in many
 * steps, and begins anew for each change: a team at work must leave it the time.
 */
const DRAW_AFTER = 250;

export class TeamTree implements Disposable {
  private readonly session: Session;
  private readonly changed = new EventEmitter<undefined>();
  private readonly view: TreeView<Node>;
  private readonly disposables: Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private drawn = "";

  constructor(session: Session) {
    this.session = session;
    this.view = window.createTreeView<Node>("swarmLs.team", {
      treeDataProvider: {
        onDidChangeTreeData: this.changed.event,
        getChildren: (node) => this.children(node),
        getTreeItem: (node) => this.item(node),
      },
    });
    this.disposables = [this.changed, this.view, session.onDidChange(() => this.soon())];
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const disposable of this.disposables) disposable.dispose();
  }

  private soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.draw();
    }, DRAW_AFTER);
  }

  private draw(): void {
    const { model } = this.session;
    const open = model.open;
    const tooltip = open === 1 ? "1 question waits for you" : `${open} questions wait for you`;
    this.view.badge = open > 0 ? { value: open, tooltip } : undefined;
    const shown = JSON.stringify([model.teams, [...model.members.values()], [...model.tasks.values()]]);
    // Most of what happens, such as text that streams, is not to be seen here.
    if (shown === this.drawn) return;
    this.drawn = shown;
    this.changed.fire(undefined);
  }

  private children(node: Node | undefined): Node[] {
    const { model } = this.session;
    if (!node) {
      const teams = model.teams.map((team): Node => ({ kind: "team", team }));
      return model.tasks.size > 0 ? [...teams, { kind: "tasks" }] : teams;
    }
    if (node.kind === "team") return model.membersOf(node.team).map((member) => ({ kind: "member", member }));
    if (node.kind === "tasks") return [...model.tasks.values()].map((task) => ({ kind: "task", task }));
    return [];
  }

  private item(node: Node): TreeItem {
    switch (node.kind) {
      case "team":
        return teamItem(node.team);
      case "member":
        return memberItem(node.member);
      case "tasks":
        return tasksItem([...this.session.model.tasks.values()]);
      case "task":
        return taskItem(node.task);
    }
  }
}

function teamItem(team: TeamView): TreeItem {
  const item = new TreeItem(team.name, TreeItemCollapsibleState.Expanded);
  item.id = `team:${team.name}`;
  item.iconPath = new ThemeIcon("organization");
  if (team.cost !== undefined) item.description = `$${team.cost.toFixed(2)}`;
  item.contextValue = "team";
  item.tooltip = team.description ?? team.workspace;
  return item;
}

function memberItem(member: MemberView): TreeItem {
  const item = new TreeItem(member.name);
  const state = member.asleep ? "asleep" : STATE_WORDS[member.state];
  const parts = [
    state,
    member.tool,
    member.worktree?.branch,
    `${short(member.tokens.input + member.tokens.output)} tokens`,
  ];
  if (member.cost !== undefined) parts.push(`$${member.cost.toFixed(2)}`);
  const said = parts.filter((part) => part !== undefined && part !== "").join(" · ");
  item.id = `member:${member.agentId}`;
  item.description = said;
  item.iconPath = memberIcon(member);
  item.contextValue = `member ${hasEnded(member.state) ? "ended" : "live"} ${member.backend}`;
  item.command = {
    command: "swarmLs.showConversation",
    title: "Show the Conversation",
    arguments: [{ kind: "member", member }],
  };
  item.accessibilityInformation = { label: `${member.name}, ${said}` };
  item.tooltip = memberTooltip(member);
  return item;
}

function memberIcon(member: MemberView): ThemeIcon {
  const color = themeColor(member.color);
  const theme = color === undefined ? undefined : new ThemeColor(color);
  if (member.state === "waiting") return new ThemeIcon("bell-dot", new ThemeColor("charts.yellow"));
  if (member.state === "failed" || member.state === "gone") return new ThemeIcon("error", theme);
  if (hasEnded(member.state)) return new ThemeIcon("circle-slash", theme);
  if (member.state === "stalled" || member.state === "paused") return new ThemeIcon("warning", theme);
  return new ThemeIcon(isAtWork(member.state) ? "circle-filled" : "circle-outline", theme);
}

function memberTooltip(member: MemberView): MarkdownString {
  const { input, output, cached } = member.tokens;
  const lines = [
    `${member.agentId} · ${STATE_WORDS[member.state]}`,
    `Mode: ${MODE_WORDS[member.mode].name} · runs ${member.backend}`,
    `Model: ${member.model ?? "the server's choice"}`,
    `Tokens: ${short(input)} in (${short(cached)} cached), ${short(output)} out · ${member.toolCalls} calls`,
  ];
  if (member.worktree) lines.push(`Works in ${member.worktree.path} on ${member.worktree.branch}`);
  if (member.interrupted) lines.push("Its last turn was cut off; restart it to go on.");
  if (member.lastActivity !== undefined)
    lines.push(`Last heard of ${duration(Date.now() - member.lastActivity)} ago`);
  const text = new MarkdownString();
  for (const line of lines) text.appendText(line).appendMarkdown("\n\n");
  return text;
}

function tasksItem(tasks: Task[]): TreeItem {
  const item = new TreeItem("Tasks", TreeItemCollapsibleState.Expanded);
  item.id = "tasks";
  item.iconPath = new ThemeIcon("tasklist");
  item.description = `${tasks.filter((task) => task.status === "completed").length} of ${tasks.length} done`;
  item.contextValue = "tasks";
  return item;
}

function taskItem(task: Task): TreeItem {
  const item = new TreeItem(task.subject);
  const icons = { pending: "circle-large-outline", in_progress: "loading~spin", completed: "pass" } as const;
  const owner = task.owner?.split("@")[0];
  const blockers = task.status === "completed" ? [] : task.blockedBy;
  const said = [
    owner,
    blockers.length > 0 ? `waits for ${blockers.map((id) => `#${id}`).join(", ")}` : undefined,
  ];
  item.id = `task:${task.id}`;
  item.description = [`#${task.id}`, ...said.filter((part) => part !== undefined)].join(" · ");
  item.iconPath = new ThemeIcon(icons[task.status]);
  item.tooltip = task.description || task.subject;
  item.contextValue = `task ${task.status}`;
  return item;
}
