// Where the person writes: Enter sends, Escape interrupts, `@` names members and files.
import type { Attached, Completion } from "../conversation/messages.ts";
import { byId, element } from "./dom.ts";
import { tell } from "./host.ts";

const composer = byId<HTMLTextAreaElement>("composer");
const list = byId("completions");
let offered: Completion[] = [];
let chosen = 0;
/** What was sent from here, oldest first; Arrow Up in an empty composer brings it back. */
const sent: string[] = [];

export function startComposer(): void {
  composer.addEventListener("input", () => {
    keepDraft();
    const query = mention();
    if (query === undefined) hideCompletions();
    else tell({ type: "complete", query });
  });
  composer.addEventListener("keydown", onKey);
  composer.addEventListener("blur", () => hideCompletions());
  byId("send").addEventListener("click", send);
  byId("interrupt").addEventListener("click", () => tell({ type: "interrupt" }));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && !byId("interrupt").hidden)
      tell({ type: "interrupt" });
  });
}

export function focusComposer(): void {
  composer.focus();
}

/** What was typed before the page was taken away, unless something is typed already. */
export function restoreDraft(text: string): void {
  if (composer.value === "") composer.value = text;
}

/** A prompt that was refused comes back, before what was typed since. */
export function giveBack(text: string): void {
  composer.value = composer.value === "" ? text : `${text}\n${composer.value}`;
  keepDraft();
}

export function drawAttached(attached: Attached[]): void {
  byId("attached").replaceChildren(
    ...attached.map(({ label, key }) => {
      const remove = element(
        "button",
        { type: "button", "aria-label": `Leave out ${label}`, title: "Leave it out" },
        "×",
      );
      remove.addEventListener("click", () => tell({ type: "detach", key }));
      return element("li", {}, label, remove);
    }),
  );
}

export function drawCompletions(query: string, completions: Completion[]): void {
  if (mention() !== query) return;
  offered = completions;
  chosen = 0;
  list.hidden = offered.length === 0;
  drawList();
}

/** The extension keeps it: the page goes whenever the view is hidden. */
function keepDraft(): void {
  tell({ type: "draft", text: composer.value });
}

function onKey(event: KeyboardEvent): void {
  if (event.isComposing) return;
  if (!list.hidden && onListKey(event)) {
    event.preventDefault();
    return;
  }
  if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    send();
  } else if (event.key === "ArrowUp" && composer.value === "" && sent.length > 0) {
    event.preventDefault();
    composer.value = sent.at(-1) ?? "";
  }
}

/** Whether the key was one for the list of completions. */
function onListKey(event: KeyboardEvent): boolean {
  switch (event.key) {
    case "ArrowDown":
    case "ArrowUp": {
      const step = event.key === "ArrowDown" ? 1 : offered.length - 1;
      chosen = (chosen + step) % offered.length;
      drawList();
      return true;
    }
    case "Enter":
    case "Tab":
      take(offered[chosen]);
      return true;
    case "Escape":
      hideCompletions();
      return true;
    default:
      return false;
  }
}

function send(): void {
  const text = composer.value.trim();
  if (text === "") return;
  tell({ type: "send", text });
  sent.push(text);
  composer.value = "";
  keepDraft();
  hideCompletions();
}

/** What follows the `@` that the caret is in, or nothing. */
function mention(): string | undefined {
  return /(?:^|\s)@((?:\\ |\S)*)$/.exec(composer.value.slice(0, composer.selectionStart))?.[1];
}

function take(completion: Completion | undefined): void {
  const query = mention();
  if (!completion || query === undefined) return;
  const caret = composer.selectionStart;
  composer.setRangeText(completion.insert, caret - query.length - 1, caret, "end");
  keepDraft();
  hideCompletions();
}

function hideCompletions(): void {
  offered = [];
  list.hidden = true;
  composer.removeAttribute("aria-activedescendant");
}

function drawList(): void {
  list.replaceChildren(
    ...offered.map((completion, at) => {
      const item = element(
        "li",
        { role: "option", id: `completion-${at}`, "aria-selected": at === chosen ? "true" : "false" },
        element("span", {}, completion.label),
        element("span", { class: "detail" }, completion.detail),
      );
      // Before the composer loses the focus.
      item.addEventListener("mousedown", (event) => {
        event.preventDefault();
        take(completion);
      });
      return item;
    }),
  );
  composer.setAttribute("aria-activedescendant", `completion-${chosen}`);
  list.children[chosen]?.scrollIntoView({ block: "nearest" });
}
