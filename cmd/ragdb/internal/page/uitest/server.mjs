// Servers of ragdb with the demo in a database of their own.

import { execFileSync, spawn } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export async function start(program, dir, name, flags, tokens) {
  execFileSync(program, ["demo"], { cwd: dir, stdio: "pipe" });
  renameSync(join(dir, "demo.ragdb"), join(dir, name + ".ragdb"));
  if (tokens) {
    writeFileSync(join(dir, name + ".tokens"), tokens.join("\n"), { mode: 0o600 });
    flags = [...flags, "--token-file", name + ".tokens"];
  }
  const child = spawn(program, ["serve", `${name}.ragdb`, "--addr", "127.0.0.1:0", "--json", "--quiet", ...flags], { cwd: dir, stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, OPENAI_API_KEY: "none" } });
  const url = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", d => {
      text += d;
      const m = text.match(/"url":"([^"]+)"/);
      if (m) resolve(m[1]);
    });
    child.on("exit", code => reject(new Error(`ragdb serve ended with ${code}`)));
  });
  const api = `${url}/api/v1/corpora/${name}/main/`;
  return {
    url, name, api,
    async post(what, body) {
      const r = await fetch(api + what, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      if (!r.ok) throw new Error(`${what}: ${r.status} ${await r.text()}`);
      return r.json();
    },
    get: async what => (await fetch(api + what)).json(),
    stop: () => new Promise(done => {
      child.removeAllListeners("exit");
      child.on("exit", done);
      child.kill("SIGINT");
    }),
  };
}
