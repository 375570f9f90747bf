// Puts the parts together when the editor starts the extension, and takes them apart when it ends.
import { commands, type ExtensionContext, window, workspace } from "vscode";
import { registerCommands } from "./commands.ts";
import { ConversationView } from "./conversation/view.ts";
import { answerEditor } from "./editor.ts";
import { Diffs } from "./questions/diffs.ts";
import { workspaceFolder } from "./server/client.ts";
import { Keys } from "./server/keys.ts";
import { locate } from "./server/locate.ts";
import { SECTION, serverSettings, settingsForServer } from "./server/settings.ts";
import { Session } from "./session.ts";
import { Terminals } from "./terminals.ts";
import { StatusItem } from "./views/status.ts";
import { TeamTree } from "./views/tree.ts";

let session: Session | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const folder = workspaceFolder();
  await commands.executeCommand("setContext", "swarmLs.hasFolder", folder !== undefined);
  const output = window.createOutputChannel("Swarm", { log: true });
  const keys = new Keys(context);
  context.subscriptions.push(output, ...keys.register());
  if (!folder) return;

  let key = await keys.key();
  const names = serverSettings(context.extension.packageJSON);
  const settings = () => ({
    ...settingsForServer(names, folder),
    ...(key === undefined ? {} : { apiKey: key }),
  });
  const terminals = new Terminals({
    kept: context.workspaceState,
    outliveReload: () => workspace.getConfiguration(SECTION, folder).get("keepTerminals", false),
  });
  const started = new Session({
    folder,
    output,
    program: () =>
      locate({
        setting: workspace.getConfiguration(SECTION, folder).get("server.path", ""),
        extensionFolder: context.extensionUri.fsPath,
        path: process.env.PATH ?? "",
      }),
    settings,
    answers: (client) => [...answerEditor(client), ...terminals.answer(client)],
    failed: (problem) => void tellFailure(problem),
  });
  session = started;
  const diffs = new Diffs(started);
  const conversation = new ConversationView(context, started, diffs);
  context.subscriptions.push(
    started,
    terminals,
    diffs,
    conversation,
    new StatusItem(started),
    new TeamTree(started),
    ...registerCommands(started, diffs, conversation, output),
    keys.onDidChange(() => {
      void keys.key().then((changed) => {
        key = changed;
        // The server takes a key out of the options that it is started with.
        return started.restart();
      });
    }),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.server`)) void started.restart();
      else if (event.affectsConfiguration(SECTION)) void started.settingsChanged();
    }),
  );
  // Not awaited: an extension that waits for its server holds up the editor.
  void started.start();
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}

async function tellFailure(problem: string): Promise<void> {
  const [again, settings, log] = ["Try Again", "Open Settings", "Show Log"];
  const choice = await window.showErrorMessage(`Swarm: ${problem}`, again, settings, log);
  if (choice === again) await commands.executeCommand("swarmLs.restartServer");
  if (choice === settings)
    await commands.executeCommand("workbench.action.openSettings", "swarm.server.path");
  if (choice === log) await commands.executeCommand("swarmLs.showLog");
}
