// Documents: upload, progress, removal, and texts that would take over a page.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const attack = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script><svg onload="document.title='taken'">`;

export async function uploadAndRemove(page) {
  const dir = await mkdtemp(join(tmpdir(), "upload-"));
  try {
    const file = join(dir, "beacon note.md");
    await writeFile(file, "# The beacon\n\nThe beacon of Ostwick was lit by Petra Holm.\n");
    await page.go(page.servers.rules, "documents");
    await page.wait(".docs", "Skarholm");
    const input = await page.tab.$("input[type=file]");
    await input.uploadFile(file);
    await page.wait(".job", "is done");
    await page.tab.type("input[type=search]", "beacon");
    await page.wait(".docs", "The beacon");
    await page.picture("upload");
    await page.button("Remove");
    await page.wait("dialog", "Remove this document?");
    await page.tab.keyboard.press("Escape");
    await page.tab.waitForFunction(() => !document.querySelector("dialog"));
    await page.wait(".docs", "The beacon");
    await page.button("Remove");
    await page.wait("dialog", "1 chunk");
    await page.click("dialog .danger");
    await page.wait(".empty", "No id begins so");
  } finally {
    await rm(dir, { recursive: true });
  }
}

export async function dropAFile(page) {
  await page.go(page.servers.rules, "documents");
  await page.wait(".docs", "Skarholm");
  await page.tab.$eval(".drop", zone => {
    const data = new DataTransfer();
    data.items.add(new File(["A dropped note on buoys."], "dropped.txt", { type: "text/plain" }));
    zone.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.wait(".job", "is done");
}

// What cannot be read is not called stored, whatever stands beside it.
export async function uploadWhatCannotBeRead(page) {
  const send = files => page.tab.evaluate(files => {
    const input = document.querySelector("input[type=file]"), data = new DataTransfer();
    for (const [name, text] of files) data.items.add(new File([text], name));
    input.files = data.files;
    input.dispatchEvent(new Event("change"));
  }, files);
  await page.go(page.servers.rules, "documents");
  await page.wait(".drop", ".jsonl");
  assert.ok(!(await page.text(".drop")).includes("Word"));
  await send([["letter.docx", "PK\u0003\u0004\u0000"], ["broken.pdf", "no"]]);
  await page.wait(".job", "none of 2 documents stored");
  await page.wait(".job .wrong", "broken.pdf: ");
  assert.ok(!(await page.text(".job")).includes("ragdb status"));
  await send([["buoy.txt", "A note on the buoys of Ostwick."], ["broken.pdf", "no"]]);
  await page.wait(".job", "1 of 2 documents stored");
}

export async function cancelAJob(page) {
  await page.go(page.servers.rules, "documents");
  await page.wait(".docs", "Skarholm");
  await page.tab.evaluate(() => {
    const input = document.querySelector("input[type=file]"), data = new DataTransfer();
    for (let i = 0; i < 300; i++) data.items.add(new File([`# Note ${i}\n\n` + `Keeper ${i} of Station ${i} saw ship ${i} near Cape ${i}. `.repeat(60)], `many/${i}.md`));
    input.files = data.files;
    input.dispatchEvent(new Event("change"));
  });
  await page.wait(".job", "runs", 30000);
  await page.click(".job button");
  await page.wait(".job", "was cancelled", 60000);
}

// A document that is hostile in its name, title, text and metadata is shown as it is.
export async function hostileDocument(page) {
  const server = page.servers.rules, id = `x/${attack}.md`;
  await server.post("documents", { documents: [{ id, title: attack, text: `# ${attack}\n\nThe hostile keeper of Wrangley was Mordan ${attack}. [x](javascript:document.title='taken')\n`, meta: { [attack.slice(0, 20)]: attack } }], wait: true });
  await page.go(server, "ask");
  await page.ask("Who was the hostile keeper of Wrangley?");
  await page.wait(".source", "Wrangley");
  await page.wait(".facts", "How it came about");
  await page.click(".below summary");
  await page.wait(".items .id", "onerror");
  await page.click(".items button");
  await page.wait(".reason", "It is");
  const trace = decodeURIComponent(await page.tab.evaluate(() => location.hash)).match(/t:[0-9a-f]+/)[0];
  const views = ["document?id=" + encodeURIComponent(id), "trace?id=" + trace, "trace", "documents", "graph", "graph?node=" + encodeURIComponent(id), "console?q=" + encodeURIComponent("USE base MATCH (d:document) WHERE d.key STARTS WITH 'x/' RETURN d, d.name, d.text")];
  for (const v of views) {
    await page.go(server, v);
    await page.wait("main");
    if (v.startsWith("console")) await page.button("Run");
    await new Promise(r => setTimeout(r, 700));
    assert.equal(await page.count("main img, main svg, main script, main iframe, a[href^=javascript]"), 0, v);
    assert.ok(!(await page.tab.title()).includes("taken"), v);
    page.bad.push(...await page.tab.evaluate(() => window.violations));
  }
  await page.wait(".cells", "onerror");
}
