// The way to the extension, and what the page keeps when it is taken away and made again.
import type { FromPage } from "../conversation/messages.ts";

interface Kept {
  draft?: string;
  member?: string;
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
};

const api = acquireVsCodeApi();

export function tell(message: FromPage): void {
  api.postMessage(message);
}

export function kept(): Kept {
  return api.getState() ?? {};
}

export function keep(change: Kept): void {
  api.setState({ ...kept(), ...change });
}
