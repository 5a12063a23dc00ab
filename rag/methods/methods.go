// Package methods knows all of ragdb's retrieval methods.
package methods

import (
	"github.com/ragdb/ragdb/rag/archrag"
	"github.com/ragdb/ragdb/rag/baseline"
	"github.com/ragdb/ragdb/rag/bridge"
	"github.com/ragdb/ragdb/rag/erarag"
	"github.com/ragdb/ragdb/rag/hirag"
	"github.com/ragdb/ragdb/rag/ketrag"
	"github.com/ragdb/ragdb/rag/linearrag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/noderag"
)

// Default is the method that indexes documents if none is named: its graph of
// entities and relations is there for queries.
const Default = ketrag.Name

// ForQuestions is the method that answers questions if none is named, with a chat
// model or without. It needs no graph of its own.
const ForQuestions = bridge.Name

// Setting is the setting of a corpus ([rag.Corpus.Settings]) that names the method which
// answers questions: the first one that a user named for the documents.
const Setting = "method"

// All returns the methods by name.
func All() method.Methods {
	m := method.Methods{
		archrag.Name: archrag.Open, bridge.Name: bridge.Open, erarag.Name: erarag.Open, hirag.Name: hirag.Open, ketrag.Name: ketrag.Open,
		linearrag.Name: linearrag.Open, noderag.Name: noderag.Open,
	}
	for _, name := range baseline.Names() {
		m[name] = baseline.Open(name)
	}
	return m
}
