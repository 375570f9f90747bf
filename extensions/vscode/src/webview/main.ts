// The conversation's page: draws what the extension sends, and sends what the person does.
import type { Live, MemberLine, ToPage } from "../conversation/messages.ts";
import type { Entry } from "../protocol.ts";
import {
  drawAttached,
  drawCompletions,
  focusComposer,
  giveBack,
  restoreDraft,
  startComposer,
} from "./composer.ts";
import { byId, element } from "./dom.ts";
import { Cards, entryElements, liveCard } from "./entries.ts";
import { tell } from "./host.ts";
import { rendered } from "./markdown.ts";
import { drawQuestions, focusQuestion } from "./questions.ts";
import "./style.css";

/** About so many elements are drawn at first, and so many more each time that earlier ones are wanted. */
const CHUNK = 250;

const scroller = byId("scroller");
const history = byId("history");
const live = byId("live");
const earlier = byId("earlier");
const picker = byId<HTMLSelectElement>("member");
const cards = new Cards();
let entries: Entry[] = [];
/** The first entry that is drawn. */
let first = 0;

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  switch (data.type) {
    case "members":
      drawMembers(data.members, data.selected, data.problem);
      return;
    case "history":
      entries = data.entries;
      pinned(drawHistory, true);
      return;
    case "entries":
      pinned(() => addEntries(data.entries));
      return;
    case "live":
      pinned(() => drawLive(data.live));
      return;
    case "questions":
      pinned(() => drawQuestions(data.questions, data.plans));
      return;
    case "focusQuestion":
      focusQuestion(data.id);
      return;
    case "focusComposer":
      focusComposer();
      return;
    case "draft":
      restoreDraft(data.text);
      return;
    case "attached":
      drawAttached(data.attached);
      return;
    case "completions":
      drawCompletions(data.query, data.completions);
      return;
    case "refused":
      giveBack(data.text);
      return;
  }
});

picker.addEventListener("change", () => tell({ type: "select", member: picker.value }));
earlier.addEventListener("click", showEarlier);
new IntersectionObserver((seen) => {
  if (seen.some((one) => one.isIntersecting)) showEarlier();
}).observe(earlier);
document.addEventListener("click", (event) => {
  const link = (event.target as Element | null)?.closest("a[href]");
  if (!link) return;
  event.preventDefault();
  tell({ type: "link", address: link.getAttribute("href") ?? "" });
});
startComposer();
tell({ type: "ready" });

/** Draws, and stays at the end when the person was there. */
function pinned(draw: () => void, toEnd = false): void {
  const atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 40;
  draw();
  if (atEnd || toEnd) scroller.scrollTop = scroller.scrollHeight;
}

function drawMembers(members: MemberLine[], selected: string | undefined, problem: string | undefined): void {
  picker.replaceChildren(
    ...members.map(({ id, name, isLead, state }) => {
      const label = `${name}${isLead ? " (leader)" : ""} · ${state}`;
      return element("option", { value: id, selected: id === selected }, label);
    }),
  );
  picker.hidden = members.length === 0;
  const member = members.find(({ id }) => id === selected);
  const said = member ? [member.tool, `${member.tokens} tokens`, member.cost, member.mode] : [];
  byId("status").textContent =
    problem ?? said.filter((part) => part !== undefined && part !== "").join(" · ");
  byId("status").classList.toggle("problem", problem !== undefined);
  byId("interrupt").hidden = !member?.busy;
  byId("composer").setAttribute(
    "placeholder",
    member ? `Message to ${member.name}` : "What should the team do?",
  );
  document.body.style.setProperty(
    "--member",
    member?.color ? `var(${member.color})` : "var(--vscode-focusBorder)",
  );
  if (!member) {
    entries = [];
    drawHistory();
    live.replaceChildren();
  }
}

function drawHistory(): void {
  cards.clear();
  history.replaceChildren();
  live.replaceChildren();
  first = chunkBefore(entries.length);
  history.append(...elementsOf(entries.slice(first)));
  drawEdges();
}

function addEntries(more: Entry[]): void {
  // The live cards of these calls make room for those of the history.
  live.replaceChildren();
  entries = [...entries, ...more];
  history.append(...elementsOf(more));
  drawEdges();
}

function showEarlier(): void {
  if (first === 0) return;
  const from = chunkBefore(first);
  const height = scroller.scrollHeight;
  history.prepend(...elementsOf(entries.slice(from, first)));
  first = from;
  drawEdges();
  scroller.scrollTop += scroller.scrollHeight - height;
}

/** Where the entries begin that are drawn together with those from `end` on. */
function chunkBefore(end: number): number {
  let elements = 0;
  let from = end;
  while (from > 0 && elements < CHUNK) {
    from -= 1;
    const entry = entries[from];
    elements += entry?.role === "assistant" ? entry.content.length : 1;
  }
  return from;
}

function elementsOf(some: Entry[]): HTMLElement[] {
  return some.flatMap((entry) => entryElements(entry, cards));
}

function drawEdges(): void {
  earlier.hidden = first === 0;
  byId("empty").hidden = entries.length > 0;
}

function drawLive({ text, calls, waiting }: Live): void {
  const elements: HTMLElement[] = [];
  if (text !== "") elements.push(element("article", { class: "said streaming" }, rendered(text)));
  for (const call of calls) {
    if (history.querySelector(`[data-call="${CSS.escape(call.id)}"]`)) {
      if (call.result) cards.finish(call.id, call.result);
    } else {
      elements.push(liveCard(call, cards));
    }
  }
  for (const prompt of waiting) {
    const words = element("div", { class: "words" }, prompt);
    elements.push(
      element("article", { class: "user waiting", "aria-label": "You, not taken up yet" }, words),
    );
  }
  live.replaceChildren(...elements);
  if (elements.length > 0) byId("empty").hidden = true;
}
