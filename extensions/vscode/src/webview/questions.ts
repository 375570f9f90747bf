// The open questions: a card for each call and each plan that waits, in their order.
import type { PermissionRequest, PlanRequest } from "../protocol.ts";
import { callCard, drawBatch } from "./callcard.ts";
import { byId } from "./dom.ts";
import { planCard } from "./plancard.ts";

const section = () => byId("questions");
const cards = new Map<string, HTMLElement>();
/** A question whose card should have the focus as soon as it is there. */
let wanted: string | undefined;

export function drawQuestions(questions: PermissionRequest[], plans: PlanRequest[]): void {
  dropAllBut(new Set([...questions, ...plans].map(({ id }) => id)));
  for (const request of questions) {
    const batch = request.batch ?? request.id;
    const likes = questions.filter((other) => (other.batch ?? other.id) === batch);
    drawBatch(
      cardOf(request.id, () => callCard(request)),
      likes.map(({ id }) => id),
    );
  }
  for (const plan of plans) cardOf(plan.id, () => planCard(plan));
  if (wanted !== undefined && cards.has(wanted)) focusQuestion(wanted);
}

export function focusQuestion(id: string): void {
  const card = cards.get(id);
  wanted = card ? undefined : id;
  card?.scrollIntoView({ block: "nearest" });
  card?.focus();
}

function cardOf(id: string, make: () => HTMLElement): HTMLElement {
  const known = cards.get(id);
  if (known) return known;
  const card = make();
  cards.set(id, card);
  section().append(card);
  return card;
}

/** The cards of what is decided go; the focus goes on to the next question. */
function dropAllBut(open: Set<string>): void {
  for (const [id, card] of cards) {
    if (open.has(id)) continue;
    const hadFocus = card.contains(document.activeElement);
    card.remove();
    cards.delete(id);
    if (hadFocus) (section().querySelector<HTMLElement>("article") ?? byId("composer")).focus();
  }
}
