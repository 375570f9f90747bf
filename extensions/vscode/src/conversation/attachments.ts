// What goes with the next prompt: selections, and files that its text names.
import { type Disposable, type Event, EventEmitter, type Range, Uri, window, workspace } from "vscode";
import type { Attached } from "./messages.ts";

interface Attachment {
  uri: string;
  range?: { start: { line: number; character: number }; end: { line: number; character: number } };
}

export class Attachments implements Disposable {
  private readonly items = new Map<string, { uri: Uri; range?: Range }>();
  private readonly changed = new EventEmitter<void>();
  readonly onDidChange: Event<void> = this.changed.event;

  dispose(): void {
    this.changed.dispose();
  }

  /** Adds what is selected in the active editor, or its whole file. Returns whether there was one. */
  addSelection(): boolean {
    const editor = window.activeTextEditor;
    if (!editor || !["file", "untitled"].includes(editor.document.uri.scheme)) return false;
    const { uri } = editor.document;
    this.add(editor.selection.isEmpty ? { uri } : { uri, range: editor.selection });
    return true;
  }

  remove(key: string): void {
    if (this.items.delete(key)) this.changed.fire();
  }

  clear(): void {
    if (this.items.size === 0) return;
    this.items.clear();
    this.changed.fire();
  }

  shown(): Attached[] {
    return [...this.items].map(([key, { uri, range }]) => {
      const name = workspace.asRelativePath(uri);
      return { key, label: range ? `${name}:${range.start.line + 1}-${range.end.line + 1}` : name };
    });
  }

  /** What goes with a prompt of this text: what was attached, and the files that it names by `@`. */
  async forPrompt(text: string): Promise<Attachment[]> {
    const named = await Promise.all(
      [...text.matchAll(/(?:^|\s)@((?:\\ |\S)+)/g)].map(([, path]) => existing(path ?? "")),
    );
    const all = new Map(this.items);
    for (const uri of named) if (uri) all.set(uri.toString(), { uri });
    return [...all.values()].map(({ uri, range }) => ({
      uri: uri.toString(),
      ...(range ? { range: { start: place(range.start), end: place(range.end) } } : {}),
    }));
  }

  private add(item: { uri: Uri; range?: Range }): void {
    const { uri, range } = item;
    const key = range
      ? `${uri}#${range.start.line}:${range.start.character}-${range.end.line}:${range.end.character}`
      : String(uri);
    this.items.set(key, item);
    this.changed.fire();
  }
}

function place({ line, character }: { line: number; character: number }): {
  line: number;
  character: number;
} {
  return { line, character };
}

/** The file of the workspace with this path, if there is one. */
async function existing(path: string): Promise<Uri | undefined> {
  const folder = workspace.workspaceFolders?.[0]?.uri;
  if (!folder || path === "") return undefined;
  const uri = Uri.joinPath(folder, path.replaceAll("\\ ", " "));
  try {
    // 1 is a file; a folder is no attachment.
    return ((await workspace.fs.stat(uri)).type & 1) === 1 ? uri : undefined;
  } catch {
    return undefined;
  }
}
