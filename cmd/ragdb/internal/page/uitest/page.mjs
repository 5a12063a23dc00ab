// A page in the browser, which notes what it must never do: reach another server, break
// its own policy, or fail in a script.

import assert from "node:assert/strict";
import { join } from "node:path";

export class Page {
  static async open(browser, servers, pictures) {
    const p = new Page();
    p.servers = servers;
    p.pictures = pictures;
    p.context = await browser.createBrowserContext();
    p.tab = await p.context.newPage();
    p.bad = [];
    p.tab.on("request", r => {
      const url = r.url();
      if (!url.startsWith("data:") && !Object.values(servers).some(s => url.startsWith(s.url + "/"))) p.bad.push("a request to " + url);
    });
    p.tab.on("pageerror", e => p.bad.push("a script failed: " + e.message));
    p.tab.on("dialog", d => { p.bad.push("a dialog: " + d.message()); d.dismiss(); });
    await p.tab.evaluateOnNewDocument(() => {
      window.violations = [];
      addEventListener("securitypolicyviolation", e => window.violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample));
    });
    await p.tab.setViewport({ width: 1280, height: 900 });
    return p;
  }

  // go opens a view of a server's database.
  async go(server, view) {
    await this.tab.goto("about:blank");
    await this.tab.goto(`${server.url}/#/${server.name}/main/${view}`);
    await this.tab.waitForSelector("main > *");
  }

  // wait waits until a selector is there, whose text holds something.
  async wait(selector, text = "", timeout = 15000) {
    await this.tab.waitForFunction((s, t) => [...document.querySelectorAll(s)].some(e => e.textContent.includes(t)), { timeout }, selector, text);
  }

  text = selector => this.tab.$eval(selector, e => e.textContent);
  count = selector => this.tab.$$eval(selector, all => all.length);

  async click(selector) {
    await this.tab.waitForSelector(selector, { visible: true });
    await this.tab.$eval(selector, e => e.scrollIntoView({ block: "center" }));
    await this.tab.click(selector);
  }

  // button clicks the button of a text.
  async button(text) {
    await this.click(`::-p-xpath(//button[normalize-space()="${text}"])`);
  }

  async ask(question) {
    await this.tab.type(".question textarea", question);
    await this.tab.keyboard.press("Enter");
  }

  async picture(name) {
    if (this.pictures) await this.tab.screenshot({ path: join(this.pictures, name + ".png") });
  }

  // clean fails if the page did what it must not.
  async clean() {
    this.bad.push(...await this.tab.evaluate(() => window.violations ?? []).catch(() => []));
    assert.deepEqual(this.bad, []);
  }

  async close() {
    await this.context.close();
  }
}
