// The card of a plan that waits: its text, and approval with a mode, or a reject with feedback.
import type { Mode, PlanRequest } from "../protocol.ts";
import { MODE_WORDS } from "../team/words.ts";
import { cardFrame, head, noteField } from "./card.ts";
import { button, element } from "./dom.ts";
import { tell } from "./host.ts";
import { rendered } from "./markdown.ts";

/** The modes that an approved plan may be carried out in, the safest first. */
const MODES: Mode[] = ["default", "acceptEdits", "bypassPermissions"];

export function planCard(plan: PlanRequest): HTMLElement {
  const { field, feedback } = noteField();
  const options = MODES.map((mode) => element("option", { value: mode }, MODE_WORDS[mode].name));
  const mode = element("select", { "aria-label": "What the member may do from then on" }, ...options);
  const { id, team } = plan;
  const approve = () =>
    tell({
      type: "resolvePlan",
      params: { id, team, approve: true, mode: mode.value as Mode, ...feedback() },
    });
  const reject = () => tell({ type: "resolvePlan", params: { id, team, approve: false, ...feedback() } });
  const card = cardFrame(id, `Plan of ${plan.name}`, plan.color, { a: approve, r: reject });
  card.classList.add("plan");
  const edit = () => tell({ type: "open", path: plan.document });
  card.append(
    head(plan.name, plan.reviewing ? "plan, the leader looks at it" : "plan"),
    rendered(plan.plan),
    field,
    element(
      "div",
      { class: "row" },
      button("Approve", approve, { title: "Approve the plan (A)" }),
      mode,
      button("Reject", reject, { class: "secondary", title: "Reject it, with the note if there is one (R)" }),
      button("Edit", edit, {
        class: "secondary",
        title: "Open the plan; what you change there is what is approved",
      }),
    ),
  );
  return card;
}
