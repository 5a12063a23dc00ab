// The methods that can be asked.

// instant are those that need no index of their own.
const instant = new Set(["bm25", "bridge", "dense", "naive"]);

// usable returns the names of the methods that a corpus can be asked by, the default first.
export async function usable(corpus) {
  const { methods } = await corpus.get("methods");
  const first = methods.find(m => m.default)?.name;
  const names = new Set([...first ? [first] : [], ...methods.flatMap(m => m.indexed ?? []), ...methods.map(m => m.name).filter(n => instant.has(n))]);
  return { names: [...names], first };
}
