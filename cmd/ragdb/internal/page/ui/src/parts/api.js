// Requests to the server. Every address is on the server that the page came from.

const ROOT = "/api/v1";
const TOKEN = "ragdb-token";

// Problem is an error as the server tells it.
export class Problem extends Error {
  constructor(p) {
    super(p.detail ?? p.message ?? "the server answered with an error");
    this.code = p.code ?? "";
    this.status = p.status ?? 0;
    this.hint = p.hint ?? "";
    this.at = p.at ?? ""; // shows the place in a statement
  }
}

// A token is kept until the tab is closed.
export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  set: t => t ? sessionStorage.setItem(TOKEN, t) : sessionStorage.removeItem(TOKEN),
};

// send sends a request and returns the response, or throws a Problem.
export async function send(method, path, { body, form, accept, query, signal } = {}) {
  const headers = { Accept: accept ?? "application/json" };
  if (token.get()) headers.Authorization = "Bearer " + token.get();
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const params = new URLSearchParams(query ?? {}).toString();
  let response;
  try {
    response = await fetch(ROOT + path + (params ? "?" + params : ""), {
      method, headers, signal, body: form ?? (body === undefined ? undefined : JSON.stringify(body)), cache: "no-store", credentials: "omit",
    });
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new Problem({ code: "offline", detail: "the server does not answer", hint: "is ragdb serve still running?" });
  }
  if (response.ok) return response;
  let problem;
  try {
    problem = await response.json();
  } catch {
    problem = { detail: `the server answered ${response.status}` };
  }
  throw new Problem({ status: response.status, ...problem });
}

// Corpus is a namespace of a database.
export class Corpus {
  constructor(db, ns) {
    this.db = db;
    this.ns = ns;
    this.path = `/corpora/${encodeURIComponent(db)}/${encodeURIComponent(ns)}/`;
  }

  async get(name, query, signal) {
    return (await send("GET", this.path + name, { query, signal })).json();
  }

  async post(name, body, signal) {
    return (await send("POST", this.path + name, { body, signal })).json();
  }

  async remove(name, query) {
    return (await send("DELETE", this.path + name, { query })).json();
  }

  async upload(files, prefix) {
    const form = new FormData();
    for (const f of files) form.append("file", f, f.webkitRelativePath || f.name);
    return (await send("POST", this.path + "documents/upload", { form, query: prefix ? { prefix } : {} })).json();
  }

  // events yields the server-sent events of an answer as [name, data].
  async *events(method, name, { body, signal } = {}) {
    const response = await send(method, this.path + name, { body, signal, accept: "text/event-stream" });
    let event = "message", data = [];
    for await (const line of lines(response.body)) {
      if (line === "") {
        if (data.length) {
          const value = JSON.parse(data.join("\n"));
          if (event === "error") throw new Problem(value);
          yield [event, value];
        }
        [event, data] = ["message", []];
      } else if (line.startsWith("event:")) event = line.slice(6).trim();
      else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
    }
  }

  // rows yields the rows of a statement as they come.
  async *rows(body, signal) {
    const response = await send("POST", this.path + "query", { body, signal, accept: "application/x-ndjson" });
    for await (const line of lines(response.body)) {
      if (!line) continue;
      const row = JSON.parse(line);
      if (failed(row)) throw new Problem(row.error);
      yield row;
    }
  }
}

// failed tells an error in place of a row from a row with a column of that name.
function failed(row) {
  return Object.keys(row).length === 1 && typeof row.error?.type === "string" && row.error.type.startsWith("urn:ragdb:error:");
}

// lines yields the lines of a stream.
async function* lines(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const parts = (rest + value).split("\n");
      rest = parts.pop();
      for (const p of parts) yield p.endsWith("\r") ? p.slice(0, -1) : p;
    }
    if (rest) yield rest;
  } finally {
    reader.cancel().catch(() => {}); // the stream may have ended
  }
}
