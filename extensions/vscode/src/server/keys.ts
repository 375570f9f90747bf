// The provider's key, in the editor's secret storage; never in a settings file.
import { commands, type Disposable, type ExtensionContext, window } from "vscode";

const KEY = "provider.apiKey";

export class Keys {
  private readonly context: ExtensionContext;

  constructor(context: ExtensionContext) {
    this.context = context;
  }

  async key(): Promise<string | undefined> {
    return (await this.context.secrets.get(KEY)) || undefined;
  }

  /** The commands that set and forget the key. */
  register(): Disposable[] {
    return [
      commands.registerCommand("swarmLs.setKey", async () => {
        const key = await window.showInputBox({
          title: "The provider's API key",
          prompt: "Kept in the editor's secret storage.",
          password: true,
          ignoreFocusOut: true,
          validateInput: (text) =>
            text.trim() === "" ? "A key is needed; Escape leaves all as it was." : null,
        });
        if (key !== undefined) await this.context.secrets.store(KEY, key.trim());
      }),
      commands.registerCommand("swarmLs.forgetKey", async () => {
        await this.context.secrets.delete(KEY);
        await window.showInformationMessage(
          "Swarm: the key is forgotten; one of the environment still counts.",
        );
      }),
    ];
  }

  onDidChange(changed: () => void): Disposable {
    return this.context.secrets.onDidChange((event) => {
      if (event.key === KEY) changed();
    });
  }
}
