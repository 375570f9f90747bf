// The document of the conversation's page. Only our own script and styles run or load in it.
import { randomBytes } from "node:crypto";
import { Uri, type Webview } from "vscode";

export function page(webview: Webview, extension: Uri): string {
  const address = (name: string) => webview.asWebviewUri(Uri.joinPath(extension, "dist", name)).toString();
  const nonce = randomBytes(16).toString("base64");
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'; font-src ${webview.cspSource}`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="stylesheet" href="${address("conversation.css")}">
  <title>Conversation</title>
</head>
<body>
  <header>
    <label class="hidden" for="member">Member</label>
    <select id="member"></select>
    <span id="status" role="status"></span>
  </header>
  <main id="scroller" tabindex="-1">
    <p id="empty">Say what the team should do. The leader's agent does it, alone or with teammates.</p>
    <button id="earlier" type="button" hidden>Show earlier entries</button>
    <div id="history" role="log" aria-label="Conversation"></div>
    <div id="live"></div>
    <section id="questions" aria-label="Open questions" aria-live="assertive"></section>
  </main>
  <footer>
    <ul id="completions" role="listbox" aria-label="Members and files" hidden></ul>
    <ul id="attached" aria-label="Attached"></ul>
    <label class="hidden" for="composer">Message to the member</label>
    <textarea id="composer" rows="3" aria-describedby="hint" aria-controls="completions"></textarea>
    <div class="row">
      <span id="hint">Enter sends, @ names members and files</span>
      <button id="interrupt" type="button" class="secondary" title="Interrupt the turn (Esc)" hidden>Interrupt</button>
      <button id="send" type="button">Send</button>
    </div>
  </footer>
  <script nonce="${nonce}" src="${address("conversation.js")}"></script>
</body>
</html>`;
}
