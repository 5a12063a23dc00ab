// Builds what the binary embeds: dist/app.js and dist/app.css. The same sources give the
// same bytes. Run `npm ci` once and then `npm run build`.
import { build } from "esbuild";

await build({
  entryPoints: ["src/app.js", "src/app.css"],
  outdir: process.argv[2] ?? "dist",
  absWorkingDir: import.meta.dirname,
  bundle: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
});
