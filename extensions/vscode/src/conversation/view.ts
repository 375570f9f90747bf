// The conversation in the side bar: one member's thread, the open questions, and what the person says.
import { basename } from "node:path";
import {
  commands,
  type Disposable,
  type ExtensionContext,
  env,
  type Memento,
  Uri,
  type Webview,
  type WebviewView,
  window,
  workspace,
} from "vscode";
import type { Entry, EventParams, MemberView } from "../protocol.ts";
import { resolve, resolvePlan } from "../questions/answer.ts";
import type { Diffs } from "../questions/diffs.ts";
import { isUnknownMethod } from "../server/client.ts";
import { type Session, wordsOf } from "../session.ts";
import { isAtWork, MODE_WORDS, STATE_WORDS, short, themeColor } from "../team/words.ts";
import { Attachments } from "./attachments.ts";
import { completions } from "./completions.ts";
import type { FromPage, MemberLine, ToPage } from "./messages.ts";
import { page } from "./page.ts";
import { Thread } from "./thread.ts";

/** Streamed text is drawn at most so often, in milliseconds. */
const LIVE_EVERY = 40;

/** Names of what is kept: what is typed, and the member that is shown. */
const DRAFT = "conversation.draft";
const MEMBER = "conversation.member";

export class ConversationView implements Disposable {
  readonly attachments = new Attachments();
  private readonly session: Session;
  private readonly diffs: Diffs;
  private readonly extension: Uri;
  /** What outlives a reload of the window. */
  private readonly kept: Memento;
  private readonly disposables: Disposable[];
  private webview: Webview | undefined;
  private view: WebviewView | undefined;
  /** The page's script runs and has asked for everything. */
  private ready = false;
  /** The member whose thread is shown; the leader's agent until another is picked. */
  private selected: string | undefined;
  private thread: Thread | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** What the page's last messages of a type were made from. */
  private readonly posted = new Map<ToPage["type"], unknown[]>();
  /** What the page should do once it is there. */
  private intent: ToPage | undefined;

  constructor(context: ExtensionContext, session: Session, diffs: Diffs) {
    this.session = session;
    this.diffs = diffs;
    this.extension = context.extensionUri;
    this.kept = context.workspaceState;
    this.selected = this.kept.get(MEMBER);
    this.disposables = [
      window.registerWebviewViewProvider("swarmLs.conversation", {
        resolveWebviewView: (view) => this.open(view),
      }),
      session.onDidChange(() => this.draw()),
      session.onHealed(() => void this.thread?.reread(session.model.members.get(this.thread.member)?.turnId)),
      session.onEvent((params) => this.take(params)),
      this.attachments.onDidChange(() => this.post({ type: "attached", attached: this.attachments.shown() })),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.thread?.close();
    for (const disposable of this.disposables) disposable.dispose();
  }

  /** The agent id of the member whose thread is shown. */
  get member(): string | undefined {
    return this.selected ?? this.session.model.lead?.agentId;
  }

  async show(member?: string): Promise<void> {
    if (member !== undefined) this.select(member);
    await this.reveal({ type: "focusComposer" });
  }

  /** Shows the card of a question or a plan, with the focus on it. */
  async showQuestion(id: string): Promise<void> {
    await this.reveal({ type: "focusQuestion", id });
  }

  private async reveal(intent: ToPage): Promise<void> {
    this.intent = intent;
    await commands.executeCommand("swarmLs.conversation.focus");
    this.carryOut();
  }

  private carryOut(): void {
    if (!this.ready || !this.view?.visible || !this.intent) return;
    this.post(this.intent);
    this.intent = undefined;
  }

  private open(view: WebviewView): void {
    this.view = view;
    this.webview = view.webview;
    this.ready = false;
    view.webview.options = {
      enableScripts: true,
      localResourceRoots: [Uri.joinPath(this.extension, "dist")],
    };
    view.webview.onDidReceiveMessage((message: FromPage) => void this.receive(message));
    view.onDidDispose(() => {
      this.view = undefined;
      this.webview = undefined;
      this.ready = false;
    });
    view.onDidChangeVisibility(() => this.carryOut());
    view.webview.html = page(view.webview, this.extension);
  }

  private async receive(message: FromPage): Promise<void> {
    switch (message.type) {
      case "ready":
        this.ready = true;
        this.posted.clear();
        this.draw();
        this.drawThread();
        this.post({ type: "draft", text: this.kept.get(DRAFT, "") });
        this.post({ type: "attached", attached: this.attachments.shown() });
        this.carryOut();
        return;
      case "select":
        this.select(message.member);
        return;
      case "send":
        await this.send(message.text);
        return;
      case "draft":
        await this.kept.update(DRAFT, message.text);
        return;
      case "interrupt":
        await this.attempt("swarm/interrupt", this.address());
        return;
      case "resolve":
        await resolve(this.session, message.params);
        return;
      case "resolvePlan":
        await resolvePlan(this.session, message.params);
        return;
      case "diff": {
        const request = this.session.model.questions.get(message.id);
        if (request) await this.diffs.show(request);
        return;
      }
      case "open":
        await openFile(message.path);
        return;
      case "link":
        if (/^https?:/i.test(message.address)) await env.openExternal(Uri.parse(message.address));
        return;
      case "detach":
        this.attachments.remove(message.key);
        return;
      case "complete": {
        const found = await completions(message.query, [...this.session.model.members.values()]);
        this.post({ type: "completions", query: message.query, completions: found });
        return;
      }
    }
  }

  /** Sends what the person wrote; `@name` at its beginning says to whom. */
  private async send(text: string): Promise<void> {
    const named = /^@([A-Za-z0-9._-]+)\s+/.exec(text);
    const to = named && [...this.session.model.members.values()].find((member) => member.name === named[1]);
    if (to) this.select(to.agentId);
    const words = to && named ? text.slice(named[0].length) : text;
    const attachments = await this.attachments.forPrompt(words);
    this.follow();
    const thread = this.thread;
    // Before it is sent: the history may have it before the answer is here.
    thread?.sending(words);
    try {
      await this.session.request("swarm/prompt", { text: words, ...this.address(), attachments });
      this.attachments.clear();
      this.follow();
    } catch (problem) {
      thread?.refused(words);
      this.post({ type: "refused", text });
      void window.showErrorMessage(`Swarm: ${wordsOf(problem)}`);
    }
  }

  /** `member` and `team` of the shown member, as params; none before there is a team. */
  private address(): { member?: string; team?: string } {
    const member = this.session.model.members.get(this.member ?? "");
    return member ? { member: member.name, team: member.team } : {};
  }

  private async attempt(method: string, params: unknown): Promise<void> {
    try {
      await this.session.request(method, params);
    } catch (problem) {
      const text = isUnknownMethod(problem) ? "this server cannot do that yet" : wordsOf(problem);
      void window.showErrorMessage(`Swarm: ${text}`);
    }
  }

  private select(member: string): void {
    this.selected = member;
    void this.kept.update(MEMBER, member);
    this.draw();
  }

  /** Follows the thread of the selected member; before there is a team there is none. */
  private follow(): void {
    const member = this.session.model.members.get(this.member ?? "");
    if (!member || this.thread?.member === member.agentId) return;
    this.thread?.close();
    const thread: Thread = new Thread(
      member.agentId,
      member.team,
      member.turnId,
      (method, params) => this.session.request(method, params),
      {
        grew: (entries) => this.ifShown(thread, () => this.drawEntries(thread, entries)),
        replaced: () => this.ifShown(thread, () => this.drawThread()),
        live: () => this.ifShown(thread, () => this.liveSoon()),
        failed: (problem) =>
          this.session.log(`The history of ${member.agentId} could not be read: ${wordsOf(problem)}`),
      },
    );
    this.thread = thread;
    this.drawThread();
    void thread.read();
  }

  private ifShown(thread: Thread, draw: () => void): void {
    if (this.thread === thread) draw();
  }

  private take(params: EventParams): void {
    this.follow();
    this.thread?.take(params);
  }

  private draw(): void {
    const { model, health } = this.session;
    if (this.selected !== undefined && model.members.size > 0 && !model.members.has(this.selected)) {
      this.selected = undefined;
    }
    if (this.thread && model.members.size === 0) {
      this.thread.close();
      this.thread = undefined;
    }
    this.follow();
    const members = model.teams.flatMap((team) =>
      model.membersOf(team).map((member) => line(member, member.agentId === team.leadAgentId)),
    );
    const selected = this.member;
    const problem = health.state === "failed" ? health.problem : undefined;
    const heads: ToPage = {
      type: "members",
      members,
      ...(selected === undefined ? {} : { selected }),
      ...(problem === undefined ? {} : { problem }),
    };
    const questions = [...model.questions.values()];
    const plans = [...model.plans.values()];
    const open: ToPage = { type: "questions", questions, plans };
    this.postIfNew(heads, [JSON.stringify(heads)]);
    this.postIfNew(open, [...questions, ...plans]);
  }

  private drawThread(): void {
    if (!this.thread) return;
    this.post({ type: "history", member: this.thread.member, entries: this.thread.entries });
    this.post({ type: "live", live: this.thread.live });
  }

  private drawEntries(thread: Thread, entries: Entry[]): void {
    this.post({ type: "entries", entries });
    // At once: else what the entry says would be there twice for a moment.
    this.post({ type: "live", live: thread.live });
  }

  private liveSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.thread) this.post({ type: "live", live: this.thread.live });
    }, LIVE_EVERY);
  }

  /** Posts a message unless the last one of its type was made from the same; the page draws all of it anew. */
  private postIfNew(message: ToPage, parts: unknown[]): void {
    const last = this.posted.get(message.type);
    const isSame = last?.length === parts.length && last.every((part, at) => part === parts[at]);
    if (!this.ready || isSame) return;
    this.posted.set(message.type, parts);
    this.post(message);
  }

  private post(message: ToPage): void {
    if (this.ready) void this.webview?.postMessage(message);
  }
}

function line(member: MemberView, isLead: boolean): MemberLine {
  const color = themeColor(member.color);
  return {
    id: member.agentId,
    name: member.name,
    ...(color === undefined ? {} : { color: `--vscode-${color.replaceAll(".", "-")}` }),
    state: member.asleep ? "asleep" : STATE_WORDS[member.state],
    ...(member.tool === undefined ? {} : { tool: member.tool }),
    busy: member.turnId !== undefined || isAtWork(member.state) || member.state === "waiting",
    tokens: short(member.tokens.input + member.tokens.output),
    ...(member.cost === undefined ? {} : { cost: `$${member.cost.toFixed(2)}` }),
    mode: MODE_WORDS[member.mode].name,
    isLead,
  };
}

async function openFile(path: string): Promise<void> {
  try {
    await window.showTextDocument(await workspace.openTextDocument(Uri.file(path)), { preview: true });
  } catch {
    void window.showWarningMessage(`Swarm: ${basename(path)} could not be opened.`);
  }
}
