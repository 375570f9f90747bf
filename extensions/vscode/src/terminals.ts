// The terminals that teammates run in: opened, shown, hidden and closed as the server asks.
import { type Disposable, type Terminal, ThemeColor, ThemeIcon, Uri, window } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { TerminalClosedParams, TerminalOpenParams, TerminalParams } from "./protocol.ts";
import { themeColor } from "./team/words.ts";

export function answerTerminals(client: LanguageClient): Disposable[] {
  const terminals = new Terminals((params) => client.sendNotification("swarm/terminal/closed", params));
  return [
    terminals,
    client.onRequest("swarm/terminal/open", (params: TerminalOpenParams) => terminals.open(params)),
    client.onRequest("swarm/terminal/close", (params: TerminalParams) => terminals.close(params)),
    client.onRequest("swarm/terminal/show", (params: TerminalParams) => terminals.show(params)),
    client.onRequest("swarm/terminal/hide", (params: TerminalParams) => terminals.hide(params)),
  ];
}

class Terminals implements Disposable {
  private readonly running = new Map<string, Terminal>();
  private readonly listener: Disposable;
  private opened = 0;

  constructor(closed: (params: TerminalClosedParams) => Promise<void>) {
    this.listener = window.onDidCloseTerminal((gone) => {
      for (const [terminalId, terminal] of this.running) {
        if (terminal !== gone) continue;
        this.running.delete(terminalId);
        const exitCode = terminal.exitStatus?.code;
        // The server may be gone too: then nobody wants to know.
        closed({ terminalId, ...(exitCode === undefined ? {} : { exitCode }) }).catch(() => {});
      }
    });
  }

  /** The terminals stay: what runs in them ends by itself when its server is gone, or is found by the next. */
  dispose(): void {
    this.listener.dispose();
  }

  async open({ title, command, args, cwd, env, color, hidden }: TerminalOpenParams): Promise<TerminalParams> {
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
      isTransient: true,
    });
    this.opened += 1;
    const terminalId = `terminal-${this.opened}`;
    this.running.set(terminalId, terminal);
    if (!hidden) terminal.show(true);
    if ((await terminal.processId) === undefined) {
      this.running.delete(terminalId);
      terminal.dispose();
      throw new Error(`${command} could not be started in a terminal in ${cwd}`);
    }
    return { terminalId };
  }

  close({ terminalId }: TerminalParams): null {
    this.known(terminalId).dispose();
    return null;
  }

  show({ terminalId }: TerminalParams): null {
    this.known(terminalId).show(true);
    return null;
  }

  hide({ terminalId }: TerminalParams): null {
    this.known(terminalId).hide();
    return null;
  }

  private known(terminalId: string): Terminal {
    const terminal = this.running.get(terminalId);
    if (!terminal) throw new Error(`there is no terminal ${terminalId}`);
    return terminal;
  }
}
