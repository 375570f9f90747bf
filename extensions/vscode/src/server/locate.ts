// Where the server's program is: the setting, else the one in the extension, else the PATH.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

const PROGRAM = process.platform === "win32" ? "swarm-ls.exe" : "swarm-ls";

export interface Places {
  /** The setting `swarm.server.path`; empty when it is not set. */
  setting: string;
  extensionFolder: string;
  /** The value of PATH. */
  path: string;
}

/** No program was found; the message is for the user. */
export class NotFound extends Error {}

export async function locate({ setting, extensionFolder, path }: Places): Promise<string> {
  if (setting !== "") {
    if (!isAbsolute(setting)) {
      throw new NotFound(`The setting swarm.server.path is "${setting}": it must be an absolute path.`);
    }
    if (await isProgram(setting)) return setting;
    throw new NotFound(
      `The setting swarm.server.path names ${setting}, which is no program that can be run.`,
    );
  }
  const onPath = path.split(delimiter).filter((folder) => isAbsolute(folder));
  for (const folder of [join(extensionFolder, "bin"), ...onPath]) {
    const candidate = join(folder, PROGRAM);
    if (await isProgram(candidate)) return candidate;
  }
  throw new NotFound(
    `The program ${PROGRAM} is not in this extension and not on the PATH. ` +
      "Install it, or name it in the setting swarm.server.path.",
  );
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
