// The commands of the palette, the tree and the diff.
import { commands, type Disposable, type LogOutputChannel, type QuickPickItem, window } from "vscode";
import { restoreCheckpoint } from "./checkpoints.ts";
import { chooseConversation, compactConversation, newConversation } from "./conversation/several.ts";
import type { ConversationView } from "./conversation/view.ts";
import type { MemberView, Mode } from "./protocol.ts";
import { ask, reject, rejectWithFeedback } from "./questions/answer.ts";
import type { Diffs } from "./questions/diffs.ts";
import { isUnknownMethod } from "./server/client.ts";
import { type Session, wordsOf } from "./session.ts";
import { MODE_WORDS, STATE_WORDS } from "./team/words.ts";
import type { Node } from "./views/tree.ts";

const NOBODY = "Swarm: nobody waits for an answer.";

export function registerCommands(
  session: Session,
  diffs: Diffs,
  conversation: ConversationView,
  output: LogOutputChannel,
): Disposable[] {
  const table: Record<string, (node?: Node) => unknown> = {
    restartServer: () => session.restart(),
    showLog: () => output.show(),
    openOldestQuestion: async () => {
      const oldest = session.model.oldestOpen;
      if (oldest !== undefined) await conversation.showQuestion(oldest);
      else void window.showInformationMessage(NOBODY);
    },
    answer: () => withQuestion(session, (request) => ask(session, diffs, request)),
    acceptChange: () => withShown(diffs, (request) => diffs.accept(request)),
    toggleHunk: () => withShown(diffs, (request) => diffs.toggleHunk(request)),
    rejectChange: () => withShown(diffs, (request) => reject(session, request)),
    rejectChangeWithFeedback: () => withShown(diffs, (request) => rejectWithFeedback(session, request)),
    showConversation: (node) => conversation.show(node?.kind === "member" ? node.member.agentId : undefined),
    newConversation: (node) =>
      withShownMember(session, conversation, node, (member) => newConversation(session, member)),
    chooseConversation: (node) =>
      withShownMember(session, conversation, node, (member) => chooseConversation(session, member)),
    compactConversation: (node) =>
      withShownMember(session, conversation, node, (member) => compactConversation(session, member)),
    attachSelection: async () => {
      if (conversation.attachments.addSelection()) await conversation.show();
      else void window.showInformationMessage("Swarm: there is no file in the active editor to attach.");
    },
    newTeammate: () => newTeammate(session),
    newTask: () => newTask(session),
    newTeam: () => newTeam(session),
    deleteTeam: (node) => deleteTeam(session, node?.kind === "team" ? node.team.name : undefined),
    message: (node) => withMember(session, node, (member) => message(session, member)),
    interrupt: (node) => withMember(session, node, (member) => request(session, "swarm/interrupt", member)),
    stop: (node) => withMember(session, node, (member) => stop(session, member)),
    restart: (node) =>
      withMember(session, node, (member) => request(session, "swarm/teammate/restart", member)),
    setMode: (node) => withMember(session, node, (member) => setMode(session, member)),
    setModel: (node) => withMember(session, node, (member) => setModel(session, member)),
    setEffort: (node) => withMember(session, node, (member) => setEffort(session, member)),
    restoreCheckpoint: () => restoreCheckpoint(session),
    showTerminal: (node) =>
      withMember(session, node, (member) => request(session, "swarm/teammate/show", member)),
    hideTerminal: (node) =>
      withMember(session, node, (member) => request(session, "swarm/teammate/hide", member)),
  };
  return Object.entries(table).map(([name, run]) => commands.registerCommand(`swarmLs.${name}`, run));
}

/** Asks the server about a member, and tells the person where it refuses. */
async function request(
  session: Session,
  method: string,
  member: MemberView,
  more: object = {},
): Promise<boolean> {
  return attempt(session, method, { member: member.name, team: member.team, ...more });
}

async function attempt(session: Session, method: string, params: unknown): Promise<boolean> {
  try {
    await session.request(method, params);
    return true;
  } catch (problem) {
    const text = isUnknownMethod(problem)
      ? `this server knows no ${method}; a newer one may`
      : wordsOf(problem);
    void window.showErrorMessage(`Swarm: ${text}`);
    return false;
  }
}

async function withQuestion(
  session: Session,
  act: (request: NonNullable<Diffs["current"]>) => unknown,
): Promise<void> {
  const oldest = session.model.oldestQuestion;
  if (oldest) await act(oldest);
  else void window.showInformationMessage(NOBODY);
}

async function withShown(
  diffs: Diffs,
  act: (request: NonNullable<Diffs["current"]>) => unknown,
): Promise<void> {
  const request = diffs.current;
  if (request) await act(request);
  else void window.showInformationMessage("Swarm: this change is decided already.");
}

async function withMember(
  session: Session,
  node: Node | undefined,
  act: (member: MemberView) => unknown,
): Promise<void> {
  const member = node?.kind === "member" ? node.member : await pickMember(session);
  if (member) await act(session.model.members.get(member.agentId) ?? member);
}

/** The member that is named, else the one whose thread is shown. */
async function withShownMember(
  session: Session,
  conversation: ConversationView,
  node: Node | undefined,
  act: (member: MemberView) => unknown,
): Promise<void> {
  const shown = session.model.members.get(conversation.member ?? "");
  if (node?.kind !== "member" && shown) await act(shown);
  else await withMember(session, node, act);
}

async function pickMember(session: Session): Promise<MemberView | undefined> {
  const members = [...session.model.members.values()];
  if (members.length === 0) {
    void window.showInformationMessage("Swarm: there is no team yet; the first prompt makes one.");
    return undefined;
  }
  const items = members.map((member) => ({
    label: member.name,
    description: STATE_WORDS[member.state],
    member,
  }));
  return (await window.showQuickPick(items, { placeHolder: "Which member?" }))?.member;
}

async function message(session: Session, member: MemberView): Promise<void> {
  const text = await window.showInputBox({ title: `Message to ${member.name}`, ignoreFocusOut: true });
  if (text) await request(session, "swarm/prompt", member, { text });
}

async function stop(session: Session, member: MemberView): Promise<void> {
  const ask = "Ask It to End";
  const force = "Stop It Now";
  const detail =
    "Asked to end, it may finish what it does, or refuse. Stopped now, it loses what it is doing.";
  const choice = await window.showWarningMessage(`Stop ${member.name}?`, { modal: true, detail }, ask, force);
  if (choice) await request(session, "swarm/teammate/stop", member, { force: choice === force });
}

async function setMode(session: Session, member: MemberView): Promise<void> {
  const items = (Object.keys(MODE_WORDS) as Mode[]).map((mode): QuickPickItem & { mode: Mode } => ({
    label: MODE_WORDS[mode].name,
    detail: MODE_WORDS[mode].detail,
    mode,
    ...(mode === member.mode ? { description: "now" } : {}),
  }));
  const choice = await window.showQuickPick(items, { title: `What ${member.name} may do unasked` });
  if (!choice) return;
  const modes = [{ member: member.name, mode: choice.mode }];
  await attempt(session, "swarm/teammate/setModes", { team: member.team, modes });
}

async function setModel(session: Session, member: MemberView): Promise<void> {
  const model = await window.showInputBox({
    title: `The model of ${member.name}`,
    prompt: "Holds from its next request to the model.",
    value: member.model ?? "",
  });
  if (model) await request(session, "swarm/member/configure", member, { model });
}

async function setEffort(session: Session, member: MemberView): Promise<void> {
  const items = ["low", "medium", "high", "xhigh", "max"].map(
    (effort): QuickPickItem & { effort: string } => ({
      label: effort,
      effort,
      ...(effort === member.effort ? { description: "now" } : {}),
    }),
  );
  items.push({ label: "As in the settings", effort: "" });
  const choice = await window.showQuickPick(items, { title: `How hard ${member.name}'s model thinks` });
  if (choice) await request(session, "swarm/member/configure", member, { effort: choice.effort });
}

async function newTeammate(session: Session): Promise<void> {
  const name = await window.showInputBox({
    title: "New teammate (1/3): its name",
    ignoreFocusOut: true,
    validateInput: nameProblem,
  });
  if (!name) return;
  const prompt = await window.showInputBox({
    title: `New teammate (2/3): what ${name} should do`,
    ignoreFocusOut: true,
  });
  if (!prompt) return;
  const places = [
    { label: "$(folder) In this folder", detail: "As you and the others see it", worktree: false },
    {
      label: "$(git-branch) In a git worktree of its own",
      detail: "On a new branch from the last commit; merging it is yours",
      worktree: true,
    },
  ];
  const place = await window.showQuickPick(places, {
    title: `New teammate (3/3): where ${name} works`,
    ignoreFocusOut: true,
  });
  if (!place) return;
  const { worktree } = place;
  await attempt(session, "swarm/teammate/spawn", { name, prompt, worktree, callId: crypto.randomUUID() });
}

async function newTeam(session: Session): Promise<void> {
  const name = await window.showInputBox({
    title: "New team: its name",
    prompt: "A project has one team; the first prompt makes one that is named after the folder.",
    ignoreFocusOut: true,
    validateInput: nameProblem,
  });
  if (name) await attempt(session, "swarm/team/create", { name });
}

async function deleteTeam(session: Session, named: string | undefined): Promise<void> {
  const name = named ?? session.model.teams[0]?.name;
  if (name === undefined) {
    void window.showInformationMessage("Swarm: there is no team to delete.");
    return;
  }
  const detail = "Its conversations, mail and tasks are deleted too. Files of the project stay as they are.";
  const choice = await window.showWarningMessage(
    `Delete the team ${name}?`,
    { modal: true, detail },
    "Delete",
  );
  if (choice) await attempt(session, "swarm/team/delete", { name });
}

/** What is wrong with a name for a team or a teammate. */
function nameProblem(text: string): string | null {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/.test(text) ? null : "Up to 64 of A-Z a-z 0-9 . _ -";
}

async function newTask(session: Session): Promise<void> {
  const subject = await window.showInputBox({
    title: "New task: its subject",
    prompt: "A teammate that is free takes it up.",
    ignoreFocusOut: true,
  });
  if (subject) await attempt(session, "swarm/task/create", { subject });
}
