// Addresses within the page: #/DATABASE/NAMESPACE/VIEW?NAME=VALUE.

export function address(db, ns, view, params) {
  const p = new URLSearchParams(Object.entries(params ?? {}).filter(([, v]) => v !== undefined && v !== "")).toString();
  return `#/${encodeURIComponent(db)}/${encodeURIComponent(ns)}/${view}${p ? "?" + p : ""}`;
}

// parse reads an address; parts that are missing are "".
export function parse(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [db, ns, view] = path.split("/").map(decode);
  return { db: db ?? "", ns: ns ?? "", view: view ?? "", params: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

function decode(s) {
  try {
    return decodeURIComponent(s);
  } catch {
    return s; // somebody wrote the address by hand
  }
}
