// Tokens: asked for, refused, kept for the tab, and what a role may do.

import assert from "node:assert/strict";

export async function tokenEntry(page) {
  const server = page.servers.guarded;
  await page.tab.goto(server.url);
  await page.wait(".token", "wants a token");
  await page.tab.type(".token input", "not-the-right-token");
  await page.button("Go on");
  await page.wait(".wrong", "not known");
  await page.tab.type(".token input", "reader-reader-reader");
  await page.button("Go on");
  await page.wait(".role", "may read");
  await page.go(server, "documents");
  await page.wait(".docs", "Skarholm");
  assert.equal(await page.count(".drop, .danger"), 0, "who reads only is offered no change");
  await page.button("Sign out");
  await page.wait(".token", "wants a token");
  assert.equal(await page.tab.evaluate(() => sessionStorage.length), 0);
}
