// Tests the page in a real Chromium: node run.mjs RAGDB [SCREENSHOTS]. RAGDB is the
// program, SCREENSHOTS a folder for pictures of the views. CHROMIUM names the browser.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { start } from "./server.mjs";
import { model } from "./model.mjs";
import { Page } from "./page.mjs";
import * as asks from "./asks.mjs";
import * as documents from "./documents.mjs";
import * as graphs from "./graphs.mjs";
import * as looks from "./looks.mjs";
import * as tokens from "./tokens.mjs";

const [program, pictures] = process.argv.slice(2);
const only = process.env.ONLY;
const dir = await mkdtemp(join(tmpdir(), "ragdb-page-"));
const slow = await model();
const servers = {
  rules: await start(program, dir, "skarholm", []),
  model: await start(program, dir, "modelled", ["--model", "slow", "--base-url", slow.url]),
  guarded: await start(program, dir, "guarded", [], ["reader-reader-reader read", "writer-writer-writer write"]),
};
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
let failed = 0;
try {
  for (const [name, test] of Object.entries({ ...asks, ...documents, ...graphs, ...tokens, ...looks })) {
    if (only && !name.includes(only)) continue;
    const page = await Page.open(browser, servers, pictures);
    const began = Date.now();
    try {
      const figures = await test(page);
      await page.clean();
      console.log(`ok   ${name} (${Date.now() - began} ms)${figures ? ": " + figures : ""}`);
    } catch (err) {
      failed++;
      console.log(`FAIL ${name}: ${err.stack}\nThe page shows: ${await page.text("main").catch(() => "nothing")}`);
    } finally {
      await page.close();
    }
  }
} finally {
  await browser.close();
  for (const s of Object.values(servers)) await s.stop();
  slow.stop();
  await rm(dir, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
