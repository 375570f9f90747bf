// The settings that the server is given: those that the user has set, and the key out of the secret storage.
import { type ConfigurationScope, workspace } from "vscode";

export const SECTION = "swarm";

/** Settings of this extension alone start so; the server does not know them. */
const OWN = "server.";

/** Every setting of the server that is set somewhere, so that the rest keep the server's own defaults. */
export function settingsForServer(
  names: readonly string[],
  scope?: ConfigurationScope,
): Record<string, unknown> {
  const configuration = workspace.getConfiguration(SECTION, scope);
  const set: Record<string, unknown> = {};
  for (const name of names) {
    const found = configuration.inspect(name);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    // An empty text is a field of the settings page that was cleared.
    if (value !== undefined && value !== null && value !== "") set[name] = configuration.get(name);
  }
  return set;
}

/** The names of the server's settings, from the extension's manifest. */
export function serverSettings(manifest: unknown): string[] {
  const { contributes } = manifest as { contributes: { configuration: { properties: object } } };
  const names = Object.keys(contributes.configuration.properties).map((name) =>
    name.slice(SECTION.length + 1),
  );
  return names.filter((name) => !name.startsWith(OWN));
}
