// What the server asks of the editor: saving a document after an agent's edit, and what other extensions know of the code.
import {
  commands,
  type Diagnostic,
  DiagnosticSeverity,
  type Disposable,
  Location,
  type LocationLink,
  languages,
  Position,
  Uri,
  workspace,
} from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { EditorSaveParams, EditorSaveResult } from "./protocol.ts";

interface Spot {
  line: number;
  character: number;
}

interface LookUp {
  uri: string;
  position: Spot;
}

export function answerEditor(client: LanguageClient): Disposable[] {
  return [
    client.onRequest("swarm/editor/save", save),
    client.onRequest("swarm/editor/diagnostics", diagnostics),
    client.onRequest("swarm/editor/definition", (params: LookUp) =>
      lookUp("vscode.executeDefinitionProvider", params),
    ),
    client.onRequest("swarm/editor/references", (params: LookUp) =>
      lookUp("vscode.executeReferenceProvider", params),
    ),
  ];
}

async function save({ uri }: EditorSaveParams): Promise<EditorSaveResult> {
  const wanted = Uri.parse(uri, true).toString();
  const document = workspace.textDocuments.find((open) => open.uri.toString() === wanted);
  // What is not open is on disk as it is.
  return { saved: document === undefined || !document.isDirty || (await document.save()) };
}

const SEVERITIES = {
  [DiagnosticSeverity.Error]: "error",
  [DiagnosticSeverity.Warning]: "warning",
  [DiagnosticSeverity.Information]: "information",
  [DiagnosticSeverity.Hint]: "hint",
};

function diagnostics({ uri }: { uri?: string }): { diagnostics: object[] } {
  const wanted = uri === undefined ? undefined : Uri.parse(uri, true);
  const found: [Uri, readonly Diagnostic[]][] =
    wanted === undefined ? languages.getDiagnostics() : [[wanted, languages.getDiagnostics(wanted)]];
  return {
    diagnostics: found.flatMap(([document, list]) =>
      list.map(({ range, severity, message, source }) => ({
        uri: document.toString(),
        start: spot(range.start),
        severity: SEVERITIES[severity],
        message,
        ...(source === undefined ? {} : { source }),
      })),
    ),
  };
}

async function lookUp(command: string, { uri, position }: LookUp): Promise<{ locations: object[] }> {
  const document = Uri.parse(uri, true);
  // A document that nobody opened is known to no server.
  await workspace.openTextDocument(document);
  const at = new Position(position.line, position.character);
  const found = await commands.executeCommand<(Location | LocationLink)[] | undefined>(command, document, at);
  return {
    locations: (found ?? []).map((place) =>
      place instanceof Location
        ? { uri: place.uri.toString(), start: spot(place.range.start) }
        : {
            uri: place.targetUri.toString(),
            start: spot((place.targetSelectionRange ?? place.targetRange).start),
          },
    ),
  };
}

function spot({ line, character }: Spot): Spot {
  return { line, character };
}
