// The history as elements: what was said, and a card for each call.
import type { LiveCall } from "../conversation/messages.ts";
import type { Block, Entry } from "../protocol.ts";
import { element } from "./dom.ts";
import { rendered } from "./markdown.ts";

/** Results longer than this are cut in the page, in characters; the agent had all of it. */
const MOST_RESULT = 20_000;

/** The cards of the calls that are shown, so that a result finds its own. */
export class Cards {
  private readonly cards = new Map<string, HTMLDetailsElement>();
  /** Results that are shown before, or without, the card of their call. */
  private readonly results = new Map<string, { content: string; isError: boolean }>();

  clear(): void {
    this.cards.clear();
    this.results.clear();
  }

  has(id: string): boolean {
    return this.cards.has(id);
  }

  make(id: string, name: string, what: string, input?: unknown): HTMLElement {
    const card = element(
      "details",
      { class: "call", "data-call": id },
      element(
        "summary",
        {},
        element("span", { class: "mark", "aria-label": "runs" }, "◌"),
        element("span", { class: "tool" }, name),
        element("span", { class: "what" }, what),
      ),
      input === undefined
        ? undefined
        : element("pre", { class: "input", "aria-label": "Input" }, inputText(input)),
    );
    this.cards.set(id, card);
    const result = this.results.get(id);
    if (result) this.finish(id, result);
    return card;
  }

  finish(id: string, result: { content: string; isError: boolean }): void {
    this.results.set(id, result);
    const card = this.cards.get(id);
    if (!card || card.dataset.done !== undefined) return;
    card.dataset.done = result.isError ? "error" : "ok";
    const mark = card.querySelector(".mark");
    if (mark) {
      mark.textContent = result.isError ? "✗" : "✓";
      mark.setAttribute("aria-label", result.isError ? "failed" : "done");
    }
    const { content } = result;
    const cut = content.length > MOST_RESULT ? `${content.slice(0, MOST_RESULT)}\n… cut here` : content;
    card.append(element("pre", { class: "result", "aria-label": "Result" }, cut));
  }
}

/** The elements of one entry; results go into the cards of their calls. */
export function entryElements(entry: Entry, cards: Cards): HTMLElement[] {
  switch (entry.role) {
    case "user":
      return [userElement(entry.text)];
    case "assistant":
      return entry.content.flatMap((block) => blockElement(block, cards) ?? []);
    case "results":
      for (const { toolUseId, content, isError } of entry.results)
        cards.finish(toolUseId, { content, isError: isError ?? false });
      return [];
    case "compacted":
      return [folded("compacted", "The history so far was replaced by this summary", entry.summary)];
    case "picturesRefused":
      return [element("p", { class: "ended" }, `The pictures above were refused: ${entry.reason}`)];
    case "ended":
      return [element("p", { class: "ended" }, entry.reason)];
    default:
      return [];
  }
}

export function liveCard(call: LiveCall, cards: Cards): HTMLElement {
  const card = cards.make(call.id, call.name, call.description);
  if (call.result) cards.finish(call.id, call.result);
  return card;
}

function blockElement(block: Block, cards: Cards): HTMLElement | undefined {
  if (block.type === "text") return element("article", { class: "said" }, rendered(block.text));
  if (block.type === "tool_use") return cards.make(block.id, block.name, inALine(block.input), block.input);
  return undefined;
}

/** What came to the member: the user's words, or what the server wrapped for it. */
function userElement(text: string): HTMLElement {
  const mail = /^<message from="([^"]*)"(?: summary="([^"]*)")?>\n([\s\S]*)\n<\/message>$/.exec(text);
  if (mail) return folded("mail", `${mail[1]}${mail[2] ? `: ${mail[2]}` : ""}`, mail[3] ?? "", true);
  const notice = /^<notice about="([^"]*)">\n([\s\S]*)\n<\/notice>$/.exec(text);
  if (notice) return folded("notice", firstLine(notice[2] ?? ""), notice[2] ?? "");
  const [words, ...attached] = text.split(/\n\n(?=\[From .*\]\n)/);
  const made = element(
    "article",
    { class: "user", "aria-label": "You" },
    element("div", { class: "words" }, words ?? ""),
  );
  for (const part of attached) {
    const where = firstLine(part);
    const lines = element("pre", {}, part.slice(where.length + 1));
    made.append(
      element("details", { class: "attachment" }, element("summary", {}, where.slice(1, -1)), lines),
    );
  }
  return made;
}

function folded(kind: string, title: string, text: string, open = false): HTMLElement {
  return element("details", { class: kind, open }, element("summary", {}, title), rendered(text));
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** The field that says most of a call's input, in a line. */
export function inALine(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const fields = input as Record<string, unknown>;
  for (const name of ["command", "path", "file_path", "pattern", "subject", "to", "name", "url", "id"]) {
    const value = fields[name];
    if (typeof value === "string") return firstLine(value).slice(0, 200);
  }
  return "";
}

export function inputText(input: unknown): string {
  const command = (input as { command?: unknown } | null)?.command;
  const alone = typeof command === "string" && Object.keys(input as object).length === 1;
  return alone ? command : JSON.stringify(input, null, 2);
}
