// What a question would change, in the editor's own diff. Closing it answers nothing.
import { basename } from "node:path";
import { commands, type Disposable, EventEmitter, TabInputTextDiff, Uri, window, workspace } from "vscode";
import type { PermissionRequest } from "../protocol.ts";
import type { Session } from "../session.ts";
import type { Side } from "../webview/diff.ts";
import { allow } from "./answer.ts";
import { LeftOut } from "./hunks.ts";

/** The scheme of both sides: `swarm-diff:/ID/SIDE/NAME`. */
const SCHEME = "swarm-diff";

export class Diffs implements Disposable {
  private readonly session: Session;
  /** Kept while a diff of it is shown, also when the question is decided elsewhere meanwhile. */
  private readonly shown = new Map<string, PermissionRequest>();
  private readonly leftOut = new LeftOut();
  private readonly changed = new EventEmitter<Uri>();
  private readonly disposables: Disposable[];

  constructor(session: Session) {
    this.session = session;
    this.disposables = [
      this.changed,
      this.leftOut,
      window.onDidChangeVisibleTextEditors(() => this.draw()),
      workspace.registerTextDocumentContentProvider(SCHEME, {
        onDidChange: this.changed.event,
        provideTextDocumentContent: (uri) => this.text(uri),
      }),
      session.onEvent(({ event }) => {
        if (event.kind === "permissionResolved") void this.close(event.id);
      }),
      session.onHealed(() => {
        for (const id of this.shown.keys()) if (!session.model.questions.has(id)) void this.close(id);
      }),
    ];
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  async show(request: PermissionRequest): Promise<void> {
    if (!request.change) return;
    this.shown.set(request.id, request);
    const name = basename(request.change.path);
    const title = `${name}: ${request.workerName}'s ${request.toolName}`;
    const [before, after] = [address(request, "before"), address(request, "after")];
    await commands.executeCommand("vscode.diff", before, after, title, { preview: false });
  }

  /** The open question whose diff has the focus. */
  get current(): PermissionRequest | undefined {
    const input = window.tabGroups.activeTabGroup.activeTab?.input;
    if (!(input instanceof TabInputTextDiff) || input.modified.scheme !== SCHEME) return undefined;
    return this.session.model.questions.get(part(input.modified, 0));
  }

  /** Leaves out the hunk at the cursor, or takes it in again. */
  toggleHunk(request: PermissionRequest): void {
    const editor = window.activeTextEditor;
    const problem =
      editor && isOf(editor.document.uri, request.id)
        ? this.leftOut.toggle(request, sideOf(editor.document.uri), editor.selection.active.line)
        : "put the cursor on a changed line.";
    if (problem) void window.showInformationMessage(`Swarm: ${problem}`);
    this.draw();
  }

  /** Allows the call, but for what is left out. */
  async accept(request: PermissionRequest): Promise<void> {
    const hunks = this.leftOut.taken(request);
    if (hunks === "all") await allow(this.session, request);
    else if (hunks.length > 0) await allow(this.session, request, { hunks });
    else void window.showInformationMessage("Swarm: everything is left out; reject the change instead.");
  }

  private draw(): void {
    for (const editor of window.visibleTextEditors) {
      const { uri } = editor.document;
      const request = uri.scheme === SCHEME ? this.shown.get(part(uri, 0)) : undefined;
      if (request) this.leftOut.draw(editor, request, sideOf(uri));
    }
  }

  /** Closes the diff of a question that is decided. */
  private async close(id: string): Promise<void> {
    this.leftOut.forget(id);
    if (!this.shown.delete(id)) return;
    const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
    const ours = tabs.filter(({ input }) => input instanceof TabInputTextDiff && isOf(input.modified, id));
    if (ours.length > 0) await window.tabGroups.close(ours, true);
  }

  private text(uri: Uri): string {
    const change = this.shown.get(part(uri, 0))?.change;
    return (sideOf(uri) === "before" ? change?.before : change?.after) ?? "";
  }
}

function address(request: PermissionRequest, side: Side): Uri {
  const name = basename(request.change?.path ?? "");
  return Uri.from({ scheme: SCHEME, path: `/${request.id}/${side}/${name}` });
}

function part(uri: Uri, index: number): string {
  return uri.path.split("/")[index + 1] ?? "";
}

function sideOf(uri: Uri): Side {
  return part(uri, 1) === "before" ? "before" : "after";
}

function isOf(uri: Uri, id: string): boolean {
  return uri.scheme === SCHEME && part(uri, 0) === id;
}
