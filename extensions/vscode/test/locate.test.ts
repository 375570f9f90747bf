// Where the server's program is found.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { locate } from "../src/server/locate.ts";

let folder: string;

async function program(...path: string[]): Promise<string> {
  const file = join(folder, ...path, "swarm-ls");
  await mkdir(join(folder, ...path), { recursive: true });
  await writeFile(file, "");
  await chmod(file, 0o755);
  return file;
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "swarm locate "));
});

after(() => rm(folder, { recursive: true }));

test("the setting comes before the bundled program, and that before the PATH", async () => {
  const [set, bundled, onPath] = [await program("set"), await program("ext", "bin"), await program("path")];
  const path = ["relative", join(folder, "path")].join(delimiter);
  const extensionFolder = join(folder, "ext");
  assert.equal(await locate({ setting: set, extensionFolder, path }), set);
  assert.equal(await locate({ setting: "", extensionFolder, path }), bundled);
  assert.equal(await locate({ setting: "", extensionFolder: folder, path }), onPath);
});

test("a setting that names no program is an error that says so, and nothing else is tried", async () => {
  const path = join(folder, "path");
  const missing = join(folder, "missing");
  await assert.rejects(
    locate({ setting: missing, extensionFolder: folder, path }),
    /swarm\.server\.path names .*missing/,
  );
  await assert.rejects(
    locate({ setting: "swarm-ls", extensionFolder: folder, path }),
    /must be an absolute path/,
  );
  await assert.rejects(locate({ setting: folder, extensionFolder: folder, path }), /no program/);
});

test("without any program the error says what to do", async () => {
  await assert.rejects(locate({ setting: "", extensionFolder: folder, path: "" }), /Install it, or name it/);
});
