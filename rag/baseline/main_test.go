package baseline_test

import (
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/baseline"
	"github.com/ragdb/ragdb/rag/hirag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/ketrag"
)

// all are the baselines, and the methods whose graphs they read.
func all() rag.Methods {
	m := rag.Methods{hirag.Name: hirag.Open, ketrag.Name: ketrag.Open}
	for _, name := range baseline.Names() {
		m[name] = baseline.Open(name)
	}
	return m
}

func open(t testing.TB) *ragtest.Corpus {
	t.Helper()
	c := ragtest.Open(t, all())
	c.Models = ragtest.Fixed
	return c
}
