// Graphs: the explorer and the console.

import assert from "node:assert/strict";

export async function exploreAndExpand(page) {
  await page.go(page.servers.rules, "graph?graph=ketrag");
  await page.wait(".shown", "nodes shown");
  const before = parseInt(await page.text(".shown"));
  await page.tab.type("input[type=search]", "hesper");
  await page.wait(".names button", "Hesper Vane");
  await page.click(`::-p-xpath(//ol//button[contains(., "Hesper Vane")])`);
  await page.wait("aside h2", "Hesper Vane");
  await page.wait(".said", "director of the observatory");
  await page.button("Expand");
  await page.tab.waitForFunction(n => parseInt(document.querySelector(".shown").textContent) > n, {}, before);
  await page.tab.select("select:has(option[value=community])", "community");
  await new Promise(r => setTimeout(r, 2500));
  await page.picture("graph");
  const box = await page.tab.$("fieldset input");
  await box.click();
  await page.tab.waitForFunction(n => parseInt(document.querySelector(".shown").textContent) < n, {}, before);
}

// Five thousand nodes are panned and brought nearer with enough frames to be fluid.
export async function fiveThousandNodes(page) {
  const server = page.servers.rules;
  await server.post("query", { statement: "CALL db.createGraph('big')", write: true });
  await server.post("query", { graph: "big", write: true, statement: "UNWIND range(0, 4999) AS i CREATE (:point {key: toString(i), name: 'Point ' + toString(i)})" });
  await server.post("query", { graph: "big", write: true, statement: "UNWIND range(1, 4999) AS i MATCH (a:point {key: toString(i)}), (b:point {key: toString(i / 3)}) CREATE (a)-[:near]->(b)" });
  await server.post("query", { graph: "big", write: true, statement: "UNWIND range(1, 4999) AS i MATCH (a:point {key: toString(i)}), (b:point {key: toString((i * 7919) % 5000)}) WHERE a.key <> b.key CREATE (a)-[:far]->(b)" });
  await page.go(server, "graph?graph=big");
  await page.wait(".shown", "nodes shown");
  const began = Date.now();
  await page.tab.select("select:has(option[value='5000'])", "5000");
  await page.wait(".shown", "5,000 of 5,000", 60000);
  const loaded = Date.now() - began;
  const c = await (await page.tab.$("canvas")).boundingBox();
  const frames = () => page.tab.$eval("canvas", e => Number(e.dataset.frames));
  const settling = await rate(frames, 2000, () => new Promise(r => setTimeout(r, 50)));
  await page.tab.waitForFunction(async () => {
    const n = () => document.querySelector("canvas").dataset.frames;
    const before = n();
    await new Promise(r => setTimeout(r, 700));
    return n() === before;
  }, { timeout: 120000, polling: 500 });
  await page.tab.mouse.move(c.x + 30, c.y + c.height - 30);
  await page.tab.mouse.down();
  let i = 0;
  const panning = await rate(frames, 3000, () => page.tab.mouse.move(c.x + 30 + 200 * Math.abs(Math.sin(++i / 30)), c.y + c.height - 30 - 150 * Math.abs(Math.sin(i / 40))));
  await page.tab.mouse.up();
  const zooming = await rate(frames, 2000, () => page.tab.mouse.wheel({ deltaY: Math.sin(++i / 20) > 0 ? -20 : 20 }));
  await page.picture("five-thousand");
  assert.ok(panning >= 20, `${panning} frames a second while panning`);
  return `loaded in ${loaded} ms; frames a second: ${settling} while it settles, ${panning} panning, ${zooming} zooming`;
}

async function rate(frames, ms, act) {
  const from = await frames(), began = performance.now();
  while (performance.now() - began < ms) await act();
  return Math.round((await frames() - from) * 1000 / (performance.now() - began));
}

async function statement(page, text) {
  await page.tab.$eval(".console textarea", (e, t) => e.value = t, text);
  await page.button("Run");
}

export async function consoleOfStatements(page) {
  await page.go(page.servers.rules, "console");
  await page.wait(".console select", "ketrag");
  await page.tab.select(".across select", "ketrag");
  await statement(page, "MATCH (a)-[r]->(b) RETURN a, r, b LIMIT 5");
  await page.wait(".facts", "5 rows");
  assert.equal(await page.count(".cells tbody tr"), 5);
  await page.button("Graph");
  await page.tab.waitForSelector("canvas");
  await page.picture("console");
  await statement(page, "MATCH (n RETURN n");
  await page.wait(".notice .at", "^^^");
  await statement(page, "PROFILE MATCH (n) RETURN count(n)");
  await page.wait("table", "CountNodes");
  await statement(page, "CREATE (:x {key: 'y'})");
  await page.wait(".notice.bad"); // it may not write
  await statement(page, "UNWIND range(1, 100000) AS i UNWIND range(1, 1000) AS j WITH i, j WHERE (1000 * i + j) % 5000 = 0 RETURN i, j");
  await page.wait(".facts", "500 rows");
  await page.button("Cancel");
  await page.wait(".facts", "cancelled");
  assert.ok(await page.count(".cells tbody tr") >= 500, "the rows that came are kept");
}
