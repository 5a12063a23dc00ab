// Package query holds the primitives that retrieval is made of: operators over
// scored node sets, at one snapshot.
//
// A plan is a tree of operators ([Op]). Each takes the sets of its inputs and
// returns one; [Run] runs a plan, [Explain] prints it, and a [Trace] tells what
// happened: rows and time of each operator and, for each item, why it is there
// ([Item.Why]) or where it was lost ([Trace.Why]).
//
// # Sets
//
// A [Set] is ordered and holds each item once; an item is a node or an edge of
// one graph. Operators document their order; the default is score descending, then
// id ascending. Scores compare within a set only.
//
// # Operators
//
// Find: [VectorSearch], [TextSearch], [PhraseSearch], [All];
// [Given] takes nodes that the caller has.
//
// Follow names: [Bridge].
//
// Follow edges: [Neighbors], [PPR], [PathChain]; [Incident] takes the
// edges themselves as items.
//
// Follow what items rest on: [Sources], and [Twins] from one graph to another.
//
// Choose: [Filter], [AtLeast], [TopPerGroup], [Limit], [Minus], [Intersect].
//
// Combine, weigh and order: [Union], [Score], [Reweigh], [Rescale], [Sort].
// Reweigh and Sort take a [Measure], such as a [Property].
//
// Render: [Rerank], [Pack], [Tables], [Sections].
//
// An operator that walks a graph reads the store, and the projection in the
// Env's cache only if too much of the store would have to be read.
//
// # What a query may see
//
// [Env].Allow returns the nodes that a query may see. It may see an edge if it
// may see both ends and all sources of the edge, or any source with
// [Env].AllowAny. No set holds an item that may not be seen, and no walk or path
// leads through one. Two things ensure this: operators read graphs through a lens,
// which shows only what may be seen, and [Env.Eval], which alone runs operators,
// removes anything else from their sets. Code that is no operator, such as the
// statements of package cypher, reads graphs by [Env.Reader]. Counts, such as a degree
// or the number of nodes that have a word, count what is hidden, too.
//
// # Env
//
// The [Env] has the functions that turn text into tokens, terms and vectors, the
// snapshot, the cache of projections and the filter. Operators depend on no
// tokenizer and no model. An Env serves one run of one plan at a time; operators keep
// no state and may be shared.
//
// # Budgets
//
// [Pack] turns items into text until a budget of tokens is used. Headers and
// separators count, and no plan's context exceeds its budget.
package query
