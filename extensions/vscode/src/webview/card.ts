// What all cards of questions have: a head, a note, and keys.
import { themeColor } from "../team/words.ts";
import { element } from "./dom.ts";

/** A card that can have the focus; `keys` act while it has it, by their letters. */
export function cardFrame(
  id: string,
  label: string,
  color: string | undefined,
  keys: Record<string, () => void>,
): HTMLElement {
  const card = element("article", {
    class: "question",
    tabindex: "0",
    "data-question": id,
    "aria-label": label,
  });
  const theme = themeColor(color);
  if (theme) card.style.setProperty("--member", `var(--vscode-${theme.replaceAll(".", "-")})`);
  card.addEventListener("keydown", (event) => {
    if (event.target !== card || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });
  return card;
}

export function head(worker: string, badge: string): HTMLElement {
  return element(
    "h3",
    {},
    element("span", { class: "worker" }, worker),
    element("span", { class: "badge" }, badge),
  );
}

/** A field for words to the agent, and what stands in it. */
export function noteField(): { field: HTMLInputElement; feedback: () => { feedback?: string } } {
  const label = "A note to the agent";
  const field = element("input", { type: "text", placeholder: label, "aria-label": label });
  const feedback = () => {
    const words = field.value.trim();
    return words === "" ? {} : { feedback: words };
  };
  return { field, feedback };
}
