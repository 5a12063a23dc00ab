// Package baseline provides the methods that papers on Graph-RAG compare with.
// Each is a short plan over the operators of package query.
//
// # Chunks alone
//
//	bm25    BM25 over the chunks' terms
//	dense   the vectors nearest to the question's (Text-RAG, Vanilla RAG)
//	naive   both: each score is brought to mean 0 and deviation 1 over its
//	        first candidates, then they are added
//	hyde    dense by the vector of a passage that a model invents
//
// # Parts of KET-RAG, and what its paper compares it with
//
//	knngraph        chunks near to the question and those near to them
//	keyword         Keyword-RAG: the chunks of near keywords
//	skeleton        Skeleton-RAG: entities of the central chunks alone
//	hybrid          half Text-RAG, half local search over all chunks' entities
//	graphrag-local  local search over all chunks' entities
//
// # Entities, relations and chunks in one graph
//
//	hipporag         random walks from the question's entities
//	hipporag2        the same with passages in the graph, from near triples
//	fastgraphrag     walks that score entities, then relations, then chunks
//	lightrag-low     entities near to the question's particulars
//	lightrag-high    relations near to its themes
//	lightrag-hybrid  both
//
// # Summaries
//
//	graphrag-global  reports on communities, read part by part
//	raptor           a tree of summaries of soft clusters
//
// # No retrieval
//
//	zeroshot  what the model knows
//	cot       the same, step by step
//
// Methods that need the same graph share it: [method.Identity.Instance] names it.
// docs/methods/baselines.md lists the source, parameters and deviations of each,
// and says why KAG is left out.
package baseline
