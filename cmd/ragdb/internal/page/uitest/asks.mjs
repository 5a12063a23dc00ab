// Questions: the answer streams, cites, is cancelled, or is not there.

import assert from "node:assert/strict";
import { words } from "./model.mjs";

// Texts whose bytes are not their characters.
const scripts = [
  ["zh.md", "# 灯塔\n\n🏮🏮 这座灯塔建于很久以前。海风灯塔的守护者是林晓梅。她喜欢茶。\n", "海风灯塔的守护者是谁？", "林晓梅"],
  ["ar.md", "# المنارة\n\nبنيت المنارة منذ زمن. حارس منارة النسيم هو سالم البحري. كان يحب الشاي.\n", "من هو حارس منارة النسيم؟", "سالم البحري"],
  ["emoji.md", "# Harbour 🚢\n\n🌊🌊 Waves came — “high” ones. The pilot of Zanzerby harbour was Émile Žižka 🚢. He liked tea.\n", "Who was the pilot of Zanzerby harbour?", "Žižka"],
];

// lit compares the sentences that are lit with the bytes that the server names.
async function lit(page, server) {
  await page.wait(".facts", "How it came about"); // the answer is whole, and its address is set
  const trace = decodeURIComponent(await page.tab.evaluate(() => location.hash)).match(/t:[0-9a-f]+/)[0];
  const { trace: { sources } } = await server.get("show?id=" + trace);
  assert.ok(sources.length, "the answer has sources");
  await page.wait(".source mark");
  const shown = await page.tab.$$eval(".source", all => all.map(e => [e.querySelector("mark")?.textContent ?? null, e.querySelector("blockquote").textContent]));
  for (const [i, s] of sources.entries()) {
    const bytes = Buffer.from((await server.get("document?id=" + encodeURIComponent(s.doc))).text);
    assert.equal(shown[i][1], bytes.subarray(...s.bytes).toString(), "the text of the passage");
    assert.equal(shown[i][0], s.sentence ? bytes.subarray(...s.sentence).toString() : null, "the lit sentence");
  }
  return shown.map(([m]) => m).join(" ");
}

export async function askAndCite(page) {
  const server = page.servers.rules;
  await page.go(server, "ask");
  await page.ask("Who ground the mirror of the Aurelia telescope?");
  await page.wait(".answer", "Casimir Dorn");
  assert.match(await lit(page, server), /^His workshop ground lenses/);
  await page.click(".cite");
  assert.equal(await page.tab.evaluate(() => document.activeElement.id), "source-1");
  await page.click(".below summary");
  await page.wait(".items .id", "people/casimir-dorn.md");
  await page.picture("ask");
  await page.click(".items button");
  await page.wait(".reason", "It is evidence 1");
  await page.click(".source a");
  await page.wait(".document mark", "His workshop ground lenses");
  assert.ok(await page.tab.$eval("mark", m => { const r = m.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; }), "the place is in view");
  await page.tab.goBack();
  await page.wait(".answer", "Casimir Dorn"); // of the trace that is kept
}

export async function litInEveryScript(page) {
  const server = page.servers.rules;
  await server.post("documents", { documents: scripts.map(([id, text]) => ({ id, text })), wait: true });
  for (const [, , question, want] of scripts) {
    await page.go(server, "ask");
    await page.ask(question);
    await page.wait(".facts, .notice.bad");
    assert.ok((await page.text(".result")).includes(want), `${question}: ${await page.text(".result")}`);
    assert.ok((await lit(page, server)).includes(want), "the lit sentence has " + want);
  }
}

export async function honestSilence(page) {
  await page.go(page.servers.rules, "ask");
  await page.ask("What is the price of tin in Peru?");
  await page.wait(".silence", "No sentence was found that says it");
  await page.wait(".beside", "What comes nearest");
  assert.ok(await page.count(".source") > 0);
}

export async function streamAndHostileAnswer(page) {
  await page.go(page.servers.model, "ask");
  await page.ask("Who ground the mirror of the Aurelia telescope?");
  await page.wait(".answer", "The mirror");
  assert.ok(!(await page.text(".answer")).includes("all."), "the first words come before the last");
  await page.wait(".cite", "1");
  const text = await page.text(".answer");
  for (const w of words.slice(0, 4)) assert.ok(text.includes(w.trim()), `${w} is shown as text: ${text}`);
  assert.equal(await page.count(".answer b, .answer script, .answer a:not(.cite)"), 0);
  assert.ok((await page.tab.title()).startsWith("Ask"));
}

export async function cancelQuestion(page) {
  await page.go(page.servers.model, "ask");
  await page.ask("Which ship brought the mirror of the telescope?");
  await page.wait(".answer", "The mirror");
  await page.button("Cancel");
  await page.wait(".result", "cancelled");
  assert.ok(await page.tab.$eval(".question .main", b => !b.hidden), "one can ask again");
}

export async function traceAndWhy(page) {
  const a = await page.servers.rules.post("ask", { question: "Who kept the light?" });
  await page.go(page.servers.rules, "trace");
  await page.wait(".traces", "Who kept the light?");
  await page.go(page.servers.rules, "trace?id=" + a.trace);
  await page.wait(".op", "Pack");
  await page.click(".items button");
  await page.wait(".op.has .told", "It is 1 of");
  await page.picture("trace");
}

export async function compareMethods(page) {
  await page.go(page.servers.rules, "compare");
  await page.wait(".choice", "bm25");
  await page.tab.type(".question textarea", "Who ground the mirror of the Aurelia telescope?");
  await page.button("Compare");
  await page.wait(".columns article", "Casimir Dorn");
  assert.equal(await page.count(".columns article"), 3);
  await page.picture("compare");
}
