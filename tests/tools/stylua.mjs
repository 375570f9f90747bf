// Checks, or with --write sets, the layout of Lua files: the formatter as a library, since its program is
// not in the registry. Run as: node stylua.mjs NODE_MODULES [--write] FILE...
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [modules, ...rest] = process.argv.slice(2);
const write = rest[0] === "--write";
const files = write ? rest.slice(1) : rest;
const stylua = createRequire(resolve(modules, "package.json"))("@johnnymorganz/stylua");

// The formatter takes its settings as an object and consumes it, so one is made for each file.
function settings() {
  const config = stylua.Config.new();
  config.syntax = stylua.LuaVersion.LuaJIT;
  for (const [, key, value] of readFileSync("stylua.toml", "utf8").matchAll(/^(\w+) = "?(\w+)"?$/gm)) {
    if (!(key in config)) throw new Error(`stylua.toml: the formatter has no setting ${key}`);
    config[key] = key === "indent_type" ? stylua.IndentType[value] : Number(value);
  }
  return config;
}

let wrong = 0;
for (const file of files) {
  const before = readFileSync(file, "utf8");
  const after = stylua.formatCode(before, settings(), undefined, stylua.OutputVerification.None);
  if (after === before) continue;
  wrong += 1;
  console.log(write ? `formatted ${file}` : `not formatted: ${file}`);
  if (write) writeFileSync(file, after);
}
process.exitCode = wrong > 0 && !write ? 1 : 0;
