// Which hunks of a change the person leaves out, and how the diff editor shows them.
import { type Disposable, Range, type TextEditor, window } from "vscode";
import type { Hunk, PermissionRequest } from "../protocol.ts";
import { changeOf, hunkAt, type Side } from "../webview/diff.ts";

/** The tools whose changes the server makes in part. */
const IN_PART = ["Edit", "Write"];

export class LeftOut implements Disposable {
  private readonly byQuestion = new Map<string, Set<number>>();
  private readonly dimmed = window.createTextEditorDecorationType({ isWholeLine: true, opacity: "0.4" });
  private readonly label = window.createTextEditorDecorationType({
    after: { contentText: "left out", margin: "0 0 0 2em", fontStyle: "italic" },
  });

  dispose(): void {
    this.dimmed.dispose();
    this.label.dispose();
  }

  /** Leaves out the hunk that has the line, or takes it in again. Returns what was wrong, in words. */
  toggle(request: PermissionRequest, side: Side, line: number): string | undefined {
    if (!IN_PART.includes(request.toolName))
      return `a change by ${request.toolName} is made whole or not at all.`;
    const index = hunkAt(hunksOf(request), side, line);
    if (index === undefined) return "put the cursor on a changed line.";
    const out = this.byQuestion.get(request.id) ?? new Set<number>();
    if (!out.delete(index)) out.add(index);
    this.byQuestion.set(request.id, out);
    return undefined;
  }

  /** The hunks to make; none where nothing is left out, which is the call as it was asked. */
  taken(request: PermissionRequest): Hunk[] | "all" {
    const out = this.byQuestion.get(request.id);
    if (!out || out.size === 0) return "all";
    return hunksOf(request).filter((_, index) => !out.has(index));
  }

  forget(id: string): void {
    this.byQuestion.delete(id);
  }

  /** Marks the lines of one side that are left out. */
  draw(editor: TextEditor, request: PermissionRequest, side: Side): void {
    const out = this.byQuestion.get(request.id);
    const ranges = hunksOf(request)
      .filter((_, index) => out?.has(index))
      .map((hunk) => hunk[side]);
    const full = ranges.filter(({ start, end }) => end > start);
    editor.setDecorations(
      this.dimmed,
      full.map(({ start, end }) => new Range(start, 0, end - 1, 0)),
    );
    editor.setDecorations(
      this.label,
      ranges.map(({ start }) => editor.document.lineAt(Math.min(start, editor.document.lineCount - 1)).range),
    );
  }
}

function hunksOf({ change }: PermissionRequest): Hunk[] {
  return change ? changeOf(change.before ?? "", change.after).hunks : [];
}
