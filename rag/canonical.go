package rag

import (
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// localVectors begins the names of the local embedding models.
const localVectors = "local/"

// CanonicalExport returns the options of an export that depends on what a
// namespace holds and not on how that came about: two corpora of the same
// documents, indexed alike, have equal ones.
//
// The vectors of the local model are left out, since they depend on when its
// word table was trained, and so are all buckets. What is in those is either
// the work's own record or can be made again from the rest:
//
//	jobs        marks of work done, by node id
//	frontiers   how far stages have come, for one database alone
//	idle        what decides whether a method has work, for one database alone
//	whole       what stages cost that look at a whole graph
//	methods     how instances were indexed, with the model's version
//	words       word tables and live rows, by version
//	near        model that near chunks were found by
//	sums@model  sums of keyword vectors, by node id; stale@model says which
//	            vectors are behind them
//	replies     paid replies; reply-uses says of which documents
//	embeddings  paid vectors
//	models      the embedding model
//	runs        what index runs cost
//	owed        what the last removal or merge has left to do
//	traces      how answers came about
//	important, communities, elements
//	            of noderag: which entities have attributes, and the numbers of
//	            communities
//	settled     of archrag: versions of graphs when nothing was left to do
//	clusters    of raptor: members of clusters, by node id
//	settings    how the command asks if its flags do not say
//	eval        what a measured corpus was read with
//	import      digest of what an imported graph is of
//
// What the word table decides (near chunks, and so the core and what is read
// from it) is equal only if the tables are.
func CanonicalExport() engine.ExportOptions {
	return engine.ExportOptions{
		Canonical: true,
		SkipSpace: func(_ string, o engine.SpaceOptions) bool { return strings.HasPrefix(o.Model, localVectors) },
		Bucket:    func(string, string) bool { return false },
	}
}
