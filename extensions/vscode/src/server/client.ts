// One run of the server: starts it, speaks LSP with it, and knows whether it is one that we understand.
import { type LogOutputChannel, type Uri, workspace } from "vscode";
import {
  type ClientCapabilities,
  CloseAction,
  type CloseHandlerResult,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type StaticFeature,
  TransportKind,
} from "vscode-languageclient/node";
import type { ClientFeatures } from "../protocol.ts";
import { SECTION } from "./settings.ts";

/** The version of docs/protocol.md that this extension speaks. */
const PROTOCOL_VERSION = "1";

/** What this extension does by itself, as docs/protocol.md names it. */
const FEATURES: ClientFeatures = { events: true, permissions: true, terminals: true, editor: true };

/** The server that was started is none that we understand; the message is for the user. */
export class Unsuitable extends Error {}

export interface ServerOptions {
  program: string;
  /** The workspace, and where the server is started. */
  folder: Uri;
  output: LogOutputChannel;
  settings: () => Record<string, unknown>;
  /** The server's end that nobody asked for. */
  closed: () => void;
}

/** Leaves it to us to tell the person what went wrong: once, and with what to do. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export function makeClient({ program, folder, output, settings, closed }: ServerOptions): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
    outputChannel: output,
    initializationOptions: settings(),
    connectionOptions: { maxRestartCount: 0 },
    // Starting anew is the business of who owns the client: it has more to do than the client knows.
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue }),
      closed: (): CloseHandlerResult => {
        closed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    initializationFailedHandler: () => false,
    middleware: {
      workspace: {
        configuration: async (params, token, next) => {
          if (params.items.every((item) => item.section === SECTION)) return params.items.map(settings);
          return next(params, token);
        },
      },
    },
  };
  // The transport adds `--stdio` itself.
  const run = { command: program, options: { cwd: folder.fsPath }, transport: TransportKind.stdio };
  const client = new QuietClient("swarm", "Swarm", run, options);
  client.registerFeature(announcement());
  return client;
}

/** Starts it, and makes sure that it is a swarm-ls of our protocol. */
export async function start(client: LanguageClient, program: string): Promise<void> {
  await client.start();
  const experimental = client.initializeResult?.capabilities.experimental as
    | { swarm?: { version?: string } }
    | undefined;
  const version = experimental?.swarm?.version;
  if (version !== PROTOCOL_VERSION) {
    const which = version === undefined ? "no" : `version ${version} of the`;
    throw new Unsuitable(
      `${program} speaks ${which} Swarm protocol; this extension needs version ${PROTOCOL_VERSION}. ` +
        "Install the swarm-ls that belongs to it, or name another in the setting swarm.server.path.",
    );
  }
}

/** Whether the server answered that it knows no such method. */
export function isUnknownMethod(problem: unknown): boolean {
  return (problem as { code?: unknown } | undefined)?.code === -32601;
}

/** Tells the server that settings changed; it asks for them. */
export async function settingsChanged(client: LanguageClient): Promise<void> {
  await client.sendNotification("workspace/didChangeConfiguration", { settings: null });
}

/** The first folder on this machine's disk: the one that the server takes as the workspace. */
export function workspaceFolder(): Uri | undefined {
  return workspace.workspaceFolders?.find((folder) => folder.uri.scheme === "file")?.uri;
}

function announcement(): StaticFeature {
  return {
    fillClientCapabilities(capabilities: ClientCapabilities) {
      capabilities.experimental = { ...(capabilities.experimental as object | undefined), swarm: FEATURES };
    },
    initialize() {},
    getState: () => ({ kind: "static" }),
    clear() {},
  };
}
