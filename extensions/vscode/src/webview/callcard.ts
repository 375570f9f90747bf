// The card of a call that waits: what it would do, and every way to answer.
import type { FileChange, PermissionRequest, PermissionResolveParams, RuleUpdate } from "../protocol.ts";
import { LEVEL_WORDS, ruleInWords } from "../team/words.ts";
import { cardFrame, head, noteField } from "./card.ts";
import { changeOf } from "./diff.ts";
import { button, element } from "./dom.ts";
import { inputText } from "./entries.ts";
import { tell } from "./host.ts";

/** The tools whose changes the server makes in part. */
const IN_PART = ["Edit", "Write"];

/** Questions of the server's own: nothing in them can be edited. */
const NO_CALL = ["ProjectRules", "Budget"];

export function callCard(request: PermissionRequest): HTMLElement {
  const { field, feedback } = noteField();
  const answer = (decision: "allow" | "reject", more: Partial<PermissionResolveParams> = {}) =>
    tell({ type: "resolve", params: { ids: [request.id], decision, ...feedback(), ...more } });
  const diff = () => tell({ type: "diff", id: request.id });
  const shown = request.change ? changeShown(request, request.change) : undefined;
  const allow = () => answer("allow", shown?.chosen() ?? {});
  const card = cardFrame(
    request.id,
    `Question of ${request.workerName}: ${request.description}`,
    request.workerColor,
    {
      a: allow,
      r: () => answer("reject"),
      ...(shown ? { d: diff } : {}),
    },
  );
  card.classList.add(`level-${request.level}`);
  card.append(
    head(request.workerName, LEVEL_WORDS[request.level]),
    element("p", { class: "what" }, request.description),
    element("p", { class: "why" }, request.why ?? ""),
    shown?.element ?? element("pre", { class: "input" }, inputText(request.input)),
    field,
    element(
      "div",
      { class: "row" },
      button("Allow", allow, { title: "Allow it once (A)" }),
      button("Reject", () => answer("reject"), {
        class: "secondary",
        title: "Reject it, with the note if there is one (R)",
      }),
      shown && button("Diff", diff, { class: "secondary", title: "Show it in the diff editor (D)" }),
    ),
  );
  const suggestions = request.permissionSuggestions;
  if (suggestions.length > 0) card.append(always(suggestions, (remember) => answer("allow", { remember })));
  if (!NO_CALL.includes(request.toolName)) {
    card.append(inputEditor(request.input, (updatedInput) => answer("allow", { updatedInput })));
  }
  return card;
}

/** One answer for all of a batch, where there is more than one. */
export function drawBatch(card: HTMLElement, ids: string[]): void {
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

/** The changed lines; where there are several hunks, each can be left out. */
function changeShown(
  request: PermissionRequest,
  change: FileChange,
): { element: HTMLElement; chosen: () => Partial<PermissionResolveParams> } {
  const { lines, hunks } = changeOf(change.before ?? "", change.after);
  const inPart = hunks.length > 1 && IN_PART.includes(request.toolName);
  const boxes = inPart ? hunks.map(() => element("input", { type: "checkbox", checked: true })) : [];
  const text = element("pre", { class: "diff", "aria-label": "The change", tabindex: "0" });
  let last: number | undefined;
  for (const { kind, text: words, hunk } of lines) {
    const box = hunk === undefined ? undefined : boxes[hunk];
    if (box && hunk !== last) {
      const label = ` Change ${(hunk ?? 0) + 1} of ${hunks.length}`;
      text.append(element("label", { class: "hunk" }, box, label));
    }
    last = hunk;
    const mark = { same: " ", gone: "-", new: "+", skip: "⋯" }[kind];
    const line = element("div", { class: kind }, `${mark} ${words.trimEnd()}`);
    box?.addEventListener("change", () => line.classList.toggle("out", !box.checked));
    text.append(line);
  }
  const open = () => tell({ type: "open", path: change.path });
  const path = button(change.path, open, { class: "link", title: "Open the file" });
  const chosen = () => {
    const taken = hunks.filter((_, at) => boxes[at]?.checked ?? true);
    // All of it is the call as it was asked; none of it is no change, and left to Reject.
    return taken.length === hunks.length || taken.length === 0 ? {} : { hunks: taken };
  };
  return { element: element("div", { class: "change" }, path, text), chosen };
}

/** The rules that may be kept: one to pick, and a button. */
function always(suggestions: RuleUpdate[], keep: (update: RuleUpdate) => void): HTMLElement {
  const options = suggestions.map((update, at) =>
    element("option", { value: String(at) }, ruleInWords(update)),
  );
  const choice = element("select", { "aria-label": "The rule to keep" }, ...options);
  const press = () => {
    const update = suggestions[Number(choice.value)];
    if (update) keep(update);
  };
  return element("div", { class: "row" }, button("Allow always", press, { class: "secondary" }), choice);
}

/** Another input to run in place of the model's. */
function inputEditor(before: unknown, run: (input: unknown) => void): HTMLElement {
  const text = element("textarea", { "aria-label": "The input as JSON", rows: "6", spellcheck: "false" });
  text.value = JSON.stringify(before, null, 2);
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
  const allow = button("Allow with this input", press);
  return element(
    "details",
    { class: "edit" },
    element("summary", {}, "Edit the input"),
    text,
    problem,
    allow,
  );
}
