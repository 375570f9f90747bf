// Bundles the extension and the page of its conversation view into dist/.
import { build } from "esbuild";

const common = { bundle: true, minify: true, sourcemap: false, logLevel: "warning", legalComments: "linked" };

await build({
  ...common,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
});
await build({
  ...common,
  entryPoints: { conversation: "src/webview/main.ts" },
  outdir: "dist",
  platform: "browser",
  target: "es2022",
  format: "iife",
});
