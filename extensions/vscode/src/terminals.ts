// The terminals that teammates run in: opened, shown, hidden and closed as the server asks. One for a window: they
// outlive a server, and where the setting `keepTerminals` is on, a reload of the window.
import { type Disposable, type Memento, type Terminal, ThemeColor, ThemeIcon, Uri, window } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { TerminalClosedParams, TerminalOpenParams, TerminalParams } from "./protocol.ts";
import { themeColor } from "./team/words.ts";

/** The name under which it is kept which terminal is which. */
const KEPT = "terminals";

/** So many are kept at most: one that ended while no window was open is never heard of again. */
const MOST_KEPT = 64;

/** How a terminal is known again after a reload: nothing of a `Terminal` outlives that, but the process in it does. */
interface Kept {
  terminalId: string;
  title: string;
  process: number;
}

export interface TerminalsOptions {
  /** What outlives a reload of the window. */
  kept: Memento;
  /** Whether the editor should take terminals over a reload. */
  outliveReload: () => boolean;
}

export class Terminals implements Disposable {
  private readonly running = new Map<string, Terminal>();
  private readonly listeners: Disposable[];
  private client: LanguageClient | undefined;

  private readonly options: TerminalsOptions;

  constructor(options: TerminalsOptions) {
    this.options = options;
    this.listeners = [
      window.onDidOpenTerminal((terminal) => void this.recognise(terminal)),
      window.onDidCloseTerminal((terminal) => void this.closed(terminal)),
    ];
    void this.recogniseAll();
  }

  /** The terminals stay: what runs in them ends by itself when its server is gone, or is found by the next. */
  dispose(): void {
    for (const listener of this.listeners) listener.dispose();
  }

  /** Answers a server, the only one until the next. */
  answer(client: LanguageClient): Disposable[] {
    this.client = client;
    return [
      client.onRequest("swarm/terminal/open", (params: TerminalOpenParams) => this.open(params)),
      client.onRequest("swarm/terminal/close", (params: TerminalParams) =>
        this.withKnown(params, (terminal) => terminal.dispose()),
      ),
      client.onRequest("swarm/terminal/show", (params: TerminalParams) =>
        this.withKnown(params, (terminal) => terminal.show(true)),
      ),
      client.onRequest("swarm/terminal/hide", (params: TerminalParams) =>
        this.withKnown(params, (terminal) => terminal.hide()),
      ),
    ];
  }

  private async open(params: TerminalOpenParams): Promise<TerminalParams> {
    const { title, command, args, cwd, env, color, hidden } = params;
    const theme = themeColor(color);
    const terminal = window.createTerminal({
      name: title,
      shellPath: command,
      shellArgs: args,
      cwd: Uri.file(cwd),
      env,
      iconPath: new ThemeIcon("organization"),
      ...(theme === undefined ? {} : { color: new ThemeColor(theme) }),
      hideFromUser: hidden,
      isTransient: !this.options.outliveReload(),
    });
    // No server of another time may mean this one by an id of its own.
    const terminalId = crypto.randomUUID();
    this.running.set(terminalId, terminal);
    if (!hidden) terminal.show(true);
    const process = await terminal.processId;
    if (process === undefined) {
      this.running.delete(terminalId);
      terminal.dispose();
      throw new Error(`${command} could not be started in a terminal in ${cwd}`);
    }
    await this.keep([...this.kept, { terminalId, title, process }]);
    return { terminalId };
  }

  private async withKnown({ terminalId }: TerminalParams, act: (terminal: Terminal) => void): Promise<null> {
    if (!this.running.has(terminalId)) await this.recogniseAll();
    const terminal = this.running.get(terminalId);
    if (!terminal) throw new Error(`there is no terminal ${terminalId}`);
    act(terminal);
    return null;
  }

  private async recogniseAll(): Promise<void> {
    await Promise.all(window.terminals.map((terminal) => this.recognise(terminal)));
  }

  /** Whether a terminal that the editor took over a reload is one of ours. */
  private async recognise(terminal: Terminal): Promise<void> {
    const process = await terminal.processId;
    // One that the editor has not drawn yet has no name.
    const fits = ({ title }: Kept) => terminal.name === "" || terminal.name === title;
    const one = this.kept.find((one) => one.process === process && fits(one));
    if (one && terminal.exitStatus === undefined) this.running.set(one.terminalId, terminal);
  }

  private async closed(gone: Terminal): Promise<void> {
    for (const [terminalId, terminal] of this.running) {
      if (terminal !== gone) continue;
      this.running.delete(terminalId);
      const exitCode = gone.exitStatus?.code;
      const params: TerminalClosedParams = { terminalId, ...(exitCode === undefined ? {} : { exitCode }) };
      // The server may be gone too: then nobody wants to know.
      await this.client?.sendNotification("swarm/terminal/closed", params).catch(() => {});
      await this.keep(this.kept.filter((one) => one.terminalId !== terminalId));
    }
  }

  private get kept(): Kept[] {
    return this.options.kept.get<Kept[]>(KEPT, []);
  }

  private async keep(kept: Kept[]): Promise<void> {
    await this.options.kept.update(KEPT, kept.slice(-MOST_KEPT));
  }
}
