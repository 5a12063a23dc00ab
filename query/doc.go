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
// one graph. Every operator states its order. Where none is said it is score
// descending, then id ascending. Scores compare within a set only.
//
// # Operators
//
// Search: [VectorSearch], [LayerSearch], [TextSearch], [NameMatch],
// [PhraseSearch]; [Given] takes nodes that the caller has.
//
// Follow names: [Bridge].
//
// Follow edges: [Neighbors], [Expand], [PPR], [PathChain], [Communities] and,
// back to their members, Neighbors; [Relations] and [Induced] take edges as
// items.
//
// Choose: [Filter], [AtLeast], [TopPerType], [TopPerGroup], [Limit], [Minus],
// [Intersect].
//
// Combine and order: [Union], [Score], [Sort], [Rescale].
//
// Render: [Pack], [Sections].
//
// What walks a graph reads the store, and a projection of the Env's cache only
// where it wants too much of the store.
//
// # Filters
//
// [Env].Allow says which nodes a query may see; an edge is seen where both its
// ends are and all its sources. No set holds an item that may not be seen, and
// no walk or path leads through one.
//
// # Env
//
// Operators know no tokenizer and no model: what turns text into tokens, terms
// and vectors comes in the [Env], with the snapshot, the cache of projections
// and the filter. An Env serves one run of one plan at a time; operators keep
// no state and may be shared.
//
// # Budgets
//
// [Pack] turns items into text until a budget of tokens is used. Headers and
// separators count, and no plan's context exceeds its budget.
package query
