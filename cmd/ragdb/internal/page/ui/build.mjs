// Builds what the binary embeds: dist/app.js and dist/app.css are the page of serve,
// dist/export.js is the script of an export, which stands in one file with its data. The
// same sources give the same bytes. Run `npm ci` once and then `npm run build`.
import { build } from "esbuild";

const shared = {
  outdir: process.argv[2] ?? "dist",
  absWorkingDir: import.meta.dirname,
  bundle: true,
  target: "es2022",
  charset: "utf8",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
};
await build({ ...shared, format: "esm", entryPoints: ["src/app.js", "src/app.css"] });
await build({ ...shared, format: "iife", entryPoints: ["src/export.js"] });
