// Looks: no sideways scrolling on a phone, and nothing that axe finds in any view.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function everyView(page, look) {
  const server = page.servers.rules;
  const a = await server.post("ask", { question: "Who ground the mirror of the Aurelia telescope?" });
  const views = {
    ["ask?trace=" + a.trace]: async () => { await page.wait(".source mark"); await page.click(".below summary"); await page.wait(".items .id", "casimir"); await page.click(".items button"); await page.wait(".reason", "It is"); },
    "ask?q=What is the price of tin in Peru?": () => page.wait(".silence"),
    ["trace?id=" + a.trace]: async () => { await page.wait(".op"); await page.click(".items button"); await page.wait(".told", "It is"); },
    trace: () => page.wait(".traces"),
    "graph?graph=ketrag": async () => { await page.wait(".shown", "shown"); await page.tab.type("input[type=search]", "vane"); await page.wait(".names button", "Vane"); },
    documents: () => page.wait(".docs"),
    "document?id=people/casimir-dorn.md&from=57&to=151": () => page.wait("mark"),
    "compare?q=Who kept the light?": async () => { await page.wait(".choice", "bm25"); await page.button("Compare"); await page.wait(".columns .items"); },
    console: async () => { await page.button("Run"); await page.wait(".cells"); },
  };
  for (const [view, ready] of Object.entries(views)) {
    await page.go(server, view);
    await ready();
    await look(view);
  }
  return Object.keys(views).length;
}

async function accessible(page, scheme) {
  await page.tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  const found = [];
  const n = await everyView(page, async view => {
    await page.tab.evaluate(axe);
    const { violations } = await page.tab.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    for (const v of violations) found.push(`${view}: ${v.id} (${v.impact}) ${v.nodes.map(x => x.html.slice(0, 120)).slice(0, 3).join(" | ")}`);
  });
  assert.deepEqual(found, []);
  return `${n} views`;
}

export const accessibleInLight = page => accessible(page, "light");
export const accessibleInDark = page => accessible(page, "dark");

export async function narrow(page) {
  await page.tab.setViewport({ width: 400, height: 800, isMobile: true, hasTouch: true });
  const wide = [];
  const n = await everyView(page, async view => {
    const width = await page.tab.evaluate(() => document.documentElement.scrollWidth);
    if (width > 400) wide.push(`${view}: ${width}`);
    await page.picture("narrow-" + view.split("?")[0]);
  });
  assert.deepEqual(wide, []);
  return `${n} views`;
}

export async function keyboardOnly(page) {
  await page.go(page.servers.rules, "ask");
  await page.tab.keyboard.press("Tab");
  assert.equal(await page.tab.evaluate(() => document.activeElement.textContent), "Skip to content");
  await page.tab.keyboard.press("Enter");
  await page.tab.keyboard.press("Tab");
  await page.tab.keyboard.type("Who ground the mirror of the Aurelia telescope?");
  await page.tab.keyboard.press("Enter");
  await page.wait(".cite", "1");
  for (let i = 0; i < 8 && !await page.tab.evaluate(() => document.activeElement.className === "cite"); i++) await page.tab.keyboard.press("Tab");
  await page.tab.keyboard.press("Enter");
  assert.equal(await page.tab.evaluate(() => document.activeElement.id), "source-1");
}

export async function coloursStay(page) {
  await page.tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  await page.go(page.servers.rules, "ask");
  await page.button("Dark");
  await page.tab.reload();
  await page.wait("button", "Light");
  assert.equal(await page.tab.evaluate(() => document.documentElement.dataset.theme), "dark");
}
