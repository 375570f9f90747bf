// A member's conversations: a new one, an earlier one, another title, a summary of the present one.
import { type QuickInputButton, type QuickPickItem, ThemeIcon, window } from "vscode";
import type { ConversationListResult, ConversationView, MemberView } from "../protocol.ts";
import { isUnknownMethod } from "../server/client.ts";
import { type Session, wordsOf } from "../session.ts";
import { duration, short } from "../team/words.ts";

interface Row extends QuickPickItem {
  conversation?: ConversationView;
}

const RENAME: QuickInputButton = { iconPath: new ThemeIcon("edit"), tooltip: "Rename" };

export async function newConversation(session: Session, member: MemberView): Promise<void> {
  await attempt(() => session.request("swarm/conversation/new", of(member)));
}

export async function compactConversation(session: Session, member: MemberView): Promise<void> {
  await attempt(async () => {
    await session.request("swarm/conversation/compact", of(member));
    void window.showInformationMessage(
      `Swarm: the history of ${member.name} is summarised before its next request.`,
    );
  });
}

/** Lets the person open or rename one of the conversations, or begin a new one. */
export async function chooseConversation(session: Session, member: MemberView): Promise<void> {
  await attempt(async () => {
    const listed = await session.request<ConversationListResult>("swarm/conversation/list", of(member));
    const fresh: Row = { label: "$(add) New Conversation" };
    const rows = [fresh, ...listed.conversations.map((one) => row(one, listed.contextWindow))];
    const chosen = await pick(`Conversations of ${member.name}`, rows);
    if (!chosen) return;
    const { conversation } = chosen.row;
    if (!conversation) await session.request("swarm/conversation/new", of(member));
    else if (chosen.rename) await rename(session, member, conversation);
    else await session.request("swarm/conversation/open", { ...of(member), id: conversation.id });
  });
}

async function rename(session: Session, member: MemberView, conversation: ConversationView): Promise<void> {
  const title = await window.showInputBox({
    title: "The conversation's title",
    value: conversation.title ?? "",
  });
  if (title)
    await session.request("swarm/conversation/rename", { ...of(member), id: conversation.id, title });
}

function pick(title: string, rows: Row[]): Promise<{ row: Row; rename: boolean } | undefined> {
  const box = window.createQuickPick<Row>();
  box.title = title;
  box.items = rows;
  box.matchOnDescription = true;
  return new Promise((resolve) => {
    box.onDidAccept(() => {
      const row = box.selectedItems[0];
      resolve(row && { row, rename: false });
      box.hide();
    });
    box.onDidTriggerItemButton(({ item }) => {
      resolve({ row: item, rename: true });
      box.hide();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}

function row(conversation: ConversationView, window: number): Row {
  const share = window > 0 ? ` (${Math.round((100 * conversation.tokens) / window)} %)` : "";
  const ago = `${duration(Date.now() - conversation.updatedAt)} ago`;
  return {
    label: `${conversation.current ? "$(check) " : ""}${conversation.title ?? "New"}`,
    description: `${ago} · ${short(conversation.tokens)} tokens${share}`,
    buttons: [RENAME],
    conversation,
  };
}

function of(member: MemberView): { member: string; team: string } {
  return { member: member.name, team: member.team };
}

async function attempt(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (problem) {
    const text = isUnknownMethod(problem) ? "this server has one conversation a member" : wordsOf(problem);
    void window.showErrorMessage(`Swarm: ${text}`);
  }
}
