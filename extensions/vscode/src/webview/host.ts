// The way to the extension.
import type { FromPage } from "../conversation/messages.ts";

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const api = acquireVsCodeApi();

export function tell(message: FromPage): void {
  api.postMessage(message);
}
