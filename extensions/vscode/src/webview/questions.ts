// The cards of open questions: what is asked, and every way to answer.
import type { PermissionRequest, ResolveParams, RuleUpdate } from "../protocol.ts";
import { LEVEL_WORDS, ruleInWords, themeColor } from "../team/words.ts";
import { changedLines } from "./diff.ts";
import { button, byId, element } from "./dom.ts";
import { inputText } from "./entries.ts";
import { tell } from "./host.ts";

const section = () => byId("questions");
const cards = new Map<string, HTMLElement>();
/** A question whose card should have the focus as soon as it is there. */
let wanted: string | undefined;

export function drawQuestions(questions: PermissionRequest[]): void {
  const open = new Set(questions.map((request) => request.id));
  for (const [id, card] of cards) {
    if (open.has(id)) continue;
    const hadFocus = card.contains(document.activeElement);
    card.remove();
    cards.delete(id);
    if (hadFocus) (section().querySelector<HTMLElement>("article") ?? byId("composer")).focus();
  }
  for (const request of questions) {
    const likes = questions.filter(
      (other) => other.batch !== undefined && other.batch === (request.batch ?? request.id),
    );
    const known = cards.get(request.id);
    if (known) {
      drawBatch(known, request, likes);
      continue;
    }
    const card = questionCard(request);
    drawBatch(card, request, likes);
    cards.set(request.id, card);
    section().append(card);
  }
  if (wanted !== undefined && cards.has(wanted)) focusQuestion(wanted);
}

export function focusQuestion(id: string): void {
  const card = cards.get(id);
  wanted = card ? undefined : id;
  card?.scrollIntoView({ block: "nearest" });
  card?.focus();
}

function questionCard(request: PermissionRequest): HTMLElement {
  const note = element("input", {
    type: "text",
    placeholder: "A note to the agent",
    "aria-label": "A note to the agent",
  });
  const answer = (decision: "allow" | "reject", more: Partial<ResolveParams> = {}) => {
    const feedback = note.value.trim();
    tell({
      type: "resolve",
      params: { ids: [request.id], decision, ...(feedback ? { feedback } : {}), ...more },
    });
  };
  const title = `${request.workerName}: ${request.description}`;
  const card = element(
    "article",
    {
      class: `question level-${request.level}`,
      tabindex: "0",
      "data-question": request.id,
      "aria-label": `Question of ${title}`,
    },
    element(
      "h3",
      {},
      element("span", { class: "worker" }, request.workerName),
      element("span", { class: "badge" }, LEVEL_WORDS[request.level]),
    ),
    element("p", { class: "what" }, request.description),
    request.why ? element("p", { class: "why" }, request.why) : undefined,
    body(request),
    note,
    element(
      "div",
      { class: "row" },
      button("Allow", () => answer("allow"), { title: "Allow it once (A)" }),
      button("Reject", () => answer("reject"), {
        class: "secondary",
        title: "Reject it, with the note if there is one (R)",
      }),
      request.change
        ? button("Diff", () => tell({ type: "diff", id: request.id }), {
            class: "secondary",
            title: "Show it in the diff editor (D)",
          })
        : undefined,
    ),
    always(request, (remember) => answer("allow", { remember })),
    request.toolName === "ProjectRules"
      ? undefined
      : editor(request, (updatedInput) => answer("allow", { updatedInput })),
  );
  const color = themeColor(request.workerColor);
  if (color) card.style.setProperty("--member", `var(--vscode-${color.replaceAll(".", "-")})`);
  card.addEventListener("keydown", (event) => {
    if (event.target !== card || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "a") answer("allow");
    else if (key === "r") answer("reject");
    else if (key === "d" && request.change) tell({ type: "diff", id: request.id });
    else return;
    event.preventDefault();
  });
  return card;
}

/** What would be done: the changed lines of a file, or the call's input. */
function body({ change, input }: PermissionRequest): HTMLElement {
  if (!change) return element("pre", { class: "input" }, inputText(input));
  const path = button(change.path, () => tell({ type: "open", path: change.path }), {
    class: "link",
    title: "Open the file",
  });
  const lines = changedLines(change.before ?? "", change.after).map((line) => {
    const mark = { same: " ", gone: "-", new: "+", skip: "⋯" }[line.kind];
    return element("div", { class: line.kind }, `${mark} ${line.text}`);
  });
  return element(
    "div",
    { class: "change" },
    path,
    element("pre", { class: "diff", "aria-label": "The change", tabindex: "0" }, ...lines),
  );
}

/** The rules that may be kept: one to pick, and a button. */
function always(request: PermissionRequest, keep: (update: RuleUpdate) => void): HTMLElement | undefined {
  const suggestions = request.permissionSuggestions ?? [];
  if (suggestions.length === 0) return undefined;
  const choice = element(
    "select",
    { "aria-label": "The rule to keep" },
    ...suggestions.map((update, at) => element("option", { value: String(at) }, ruleInWords(update))),
  );
  const press = () => {
    const update = suggestions[Number(choice.value)];
    if (update) keep(update);
  };
  return element("div", { class: "row" }, button("Allow always", press, { class: "secondary" }), choice);
}

/** Another input to run in place of the model's. */
function editor(request: PermissionRequest, run: (input: unknown) => void): HTMLElement {
  const text = element("textarea", { "aria-label": "The input as JSON", rows: "6", spellcheck: "false" });
  text.value = JSON.stringify(request.input, null, 2);
  const problem = element("p", { class: "problem", role: "alert" });
  const press = () => {
    let input: unknown;
    try {
      input = JSON.parse(text.value);
    } catch (wrong) {
      problem.textContent = `This is no JSON: ${wrong instanceof Error ? wrong.message : wrong}`;
      return;
    }
    problem.textContent = "";
    run(input);
  };
  return element(
    "details",
    { class: "edit" },
    element("summary", {}, "Edit the input"),
    text,
    problem,
    button("Allow with this input", press),
  );
}

/** One answer for all of a batch, where there is more than one. */
function drawBatch(card: HTMLElement, request: PermissionRequest, likes: PermissionRequest[]): void {
  const ids = [...new Set([request.id, ...likes.map((like) => like.id)])];
  const before = card.querySelector<HTMLElement>(".batch");
  if (before?.dataset.count === String(ids.length)) return;
  before?.remove();
  if (ids.length < 2) return;
  const press = (decision: "allow" | "reject") => () => tell({ type: "resolve", params: { ids, decision } });
  card.append(
    element(
      "div",
      { class: "row batch", "data-count": String(ids.length) },
      button(`Allow all ${ids.length} like this`, press("allow"), { class: "secondary" }),
      button(`Reject all ${ids.length}`, press("reject"), { class: "secondary" }),
    ),
  );
}
