// What `@` offers in the composer: members first, then files of the workspace.
import { workspace } from "vscode";
import type { MemberView } from "../protocol.ts";
import { STATE_WORDS } from "../team/words.ts";
import type { Completion } from "./messages.ts";

const MOST_FILES = 20;

export async function completions(query: string, members: MemberView[]): Promise<Completion[]> {
  const wanted = query.toLowerCase();
  const people = members
    .filter((member) => member.name.toLowerCase().includes(wanted))
    .map((member) => ({
      label: `@${member.name}`,
      detail: STATE_WORDS[member.state],
      insert: `@${member.name} `,
    }));
  // What means something in a glob is looked for as any character.
  const loose = query.replace(/[^\p{L}\p{N}/._-]/gu, "?");
  const pattern = `**/${[...loose].map((c) => (/\p{L}/u.test(c) ? `[${c.toLowerCase()}${c.toUpperCase()}]` : c)).join("")}*`;
  const files = query.length > 0 ? await workspace.findFiles(pattern, undefined, MOST_FILES) : [];
  const paths = files.map((uri) => workspace.asRelativePath(uri, false)).sort();
  return [
    ...people,
    ...paths.map((path) => ({ label: path, detail: "file", insert: `@${path.replaceAll(" ", "\\ ")} ` })),
  ];
}
