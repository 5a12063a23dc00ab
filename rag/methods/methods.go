// Package methods knows all of ragdb's retrieval methods.
package methods

import (
	"github.com/ragdb/ragdb/rag/archrag"
	"github.com/ragdb/ragdb/rag/baseline"
	"github.com/ragdb/ragdb/rag/bridge"
	"github.com/ragdb/ragdb/rag/erarag"
	"github.com/ragdb/ragdb/rag/hirag"
	"github.com/ragdb/ragdb/rag/ketrag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/noderag"
)

// Default is the method that documents are indexed by where none is named, and
// that questions are answered by where a chat model is configured.
const Default = ketrag.Name

// WithoutModel is the method that questions are answered by where none is named
// and no chat model is configured. What Default indexes serves it.
const WithoutModel = bridge.Name

// All returns the methods by name.
func All() method.Methods {
	m := method.Methods{
		archrag.Name: archrag.Open, bridge.Name: bridge.Open, erarag.Name: erarag.Open, hirag.Name: hirag.Open, ketrag.Name: ketrag.Open,
		noderag.Name: noderag.Open,
	}
	for _, name := range baseline.Names() {
		m[name] = baseline.Open(name)
	}
	return m
}
