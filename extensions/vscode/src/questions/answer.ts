// Answers to open questions, wherever they are given.
import { window } from "vscode";
import type {
  PermissionRequest,
  PermissionResolveParams,
  PermissionResolveResult,
  PlanResolveParams,
} from "../protocol.ts";
import { type Session, wordsOf } from "../session.ts";
import { LEVEL_WORDS, ruleInWords } from "../team/words.ts";
import type { Diffs } from "./diffs.ts";

/** Answers, and tells the person where it came too late or was refused. Returns whether it is decided now. */
export function resolve(session: Session, params: PermissionResolveParams): Promise<boolean> {
  return decide(session, "swarm/permission/resolve", params);
}

/** The same for a plan. */
export function resolvePlan(session: Session, params: PlanResolveParams): Promise<boolean> {
  return decide(session, "swarm/plan/resolve", params);
}

async function decide(session: Session, method: string, params: unknown): Promise<boolean> {
  try {
    const { results } = await session.request<PermissionResolveResult>(method, params);
    if (results.some(({ outcome }) => outcome !== "resolved")) {
      void window.showInformationMessage(
        "Swarm: somebody answered this question before, or it was taken back.",
      );
    }
    return true;
  } catch (problem) {
    void window.showErrorMessage(`Swarm: the answer was not taken: ${wordsOf(problem)}`);
    return false;
  }
}

/** Asks the person by the editor's own menus. Escape leaves the question open. */
export async function ask(session: Session, diffs: Diffs, request: PermissionRequest): Promise<void> {
  const always = request.permissionSuggestions;
  const items = [
    { label: "$(check) Allow", act: () => allow(session, request) },
    ...(request.change ? [{ label: "$(diff) Show the diff", act: () => diffs.show(request) }] : []),
    ...always.map((remember) => ({
      label: "$(check-all) Allow always",
      description: ruleInWords(remember),
      act: () => allow(session, request, { remember }),
    })),
    { label: "$(edit) Edit the input, then allow", act: () => edit(session, request) },
    { label: "$(close) Reject", act: () => reject(session, request) },
    { label: "$(comment) Reject with feedback", act: () => rejectWithFeedback(session, request) },
  ];
  const choice = await window.showQuickPick(items, {
    title: `${request.workerName}: ${request.description}`,
    placeHolder: `${request.toolName} ${LEVEL_WORDS[request.level]}. ${request.why ?? ""}`,
    ignoreFocusOut: true,
  });
  await choice?.act();
}

export async function allow(
  session: Session,
  request: PermissionRequest,
  more: Pick<PermissionResolveParams, "hunks" | "remember"> = {},
): Promise<boolean> {
  return resolve(session, { ids: [request.id], decision: "allow", ...more });
}

export async function reject(
  session: Session,
  request: PermissionRequest,
  feedback?: string,
): Promise<boolean> {
  return resolve(session, { ids: [request.id], decision: "reject", ...(feedback ? { feedback } : {}) });
}

export async function rejectWithFeedback(session: Session, request: PermissionRequest): Promise<boolean> {
  const feedback = await window.showInputBox({
    title: `Reject ${request.workerName}'s ${request.toolName}`,
    prompt: "What should it do instead?",
    ignoreFocusOut: true,
  });
  return feedback !== undefined && reject(session, request, feedback);
}

async function edit(session: Session, request: PermissionRequest): Promise<boolean> {
  const text = await window.showInputBox({
    title: `Edit the input of ${request.workerName}'s ${request.toolName}`,
    value: JSON.stringify(request.input),
    ignoreFocusOut: true,
    validateInput: (typed) => problemOfJson(typed),
  });
  if (text === undefined) return false;
  return resolve(session, { ids: [request.id], decision: "allow", updatedInput: JSON.parse(text) });
}

/** What is wrong with a text that should be JSON, in words. */
function problemOfJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (problem) {
    return wordsOf(problem);
  }
}
