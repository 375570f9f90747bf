// What the server asks of the editor: saving a document after an agent's edit.
import { type Disposable, Uri, workspace } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

export function answerEditor(client: LanguageClient): Disposable[] {
  return [client.onRequest("swarm/editor/save", save)];
}

async function save({ uri }: { uri: string }): Promise<{ saved: boolean }> {
  const wanted = Uri.parse(uri, true).toString();
  const document = workspace.textDocuments.find((open) => open.uri.toString() === wanted);
  // What is not open is on disk as it is.
  return { saved: document === undefined || !document.isDirty || (await document.save()) };
}
