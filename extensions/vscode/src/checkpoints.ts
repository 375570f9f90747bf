// Giving the workspace back as it was before a turn changed it.
import { window } from "vscode";
import type { CheckpointListResult, CheckpointRestoreResult } from "./protocol.ts";
import { isUnknownMethod } from "./server/client.ts";
import { type Session, wordsOf } from "./session.ts";
import { duration } from "./team/words.ts";

export async function restoreCheckpoint(session: Session): Promise<void> {
  try {
    const { checkpoints } = await session.request<CheckpointListResult>("swarm/checkpoint/list", {});
    if (checkpoints.length === 0) {
      void window.showInformationMessage(
        "Swarm: no turn has changed anything yet, or this is no git repository.",
      );
      return;
    }
    const items = checkpoints.map((checkpoint) => ({
      label: checkpoint.summary,
      description: [checkpoint.member?.split("@")[0], `${duration(Date.now() - checkpoint.createdAt)} ago`]
        .filter((part) => part !== undefined)
        .join(" · "),
      checkpoint,
    }));
    const choice = await window.showQuickPick(items, {
      title: "Give the workspace back as it was before…",
      matchOnDescription: true,
    });
    if (choice) await restore(session, choice.checkpoint.id);
  } catch (problem) {
    tell(problem);
  }
}

async function restore(session: Session, id: string): Promise<void> {
  const { files, undo } = await session.request<CheckpointRestoreResult>("swarm/checkpoint/restore", { id });
  const said = files.length === 1 ? "1 file is" : `${files.length} files are`;
  const choice = await window.showInformationMessage(
    files.length === 0 ? "Swarm: the workspace was so already." : `Swarm: ${said} as before.`,
    ...(undo ? ["Undo"] : []),
  );
  if (choice && undo) {
    try {
      await restore(session, undo.id);
    } catch (problem) {
      tell(problem);
    }
  }
}

function tell(problem: unknown): void {
  const text = isUnknownMethod(problem) ? "this server keeps no checkpoints" : wordsOf(problem);
  void window.showErrorMessage(`Swarm: ${text}`);
}
