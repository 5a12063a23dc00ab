package baseline_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/baseline"
	"github.com/ragdb/ragdb/rag/hirag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/ketrag"
	"github.com/ragdb/ragdb/rag/method"
)

// all are the baselines, and the methods whose graphs they read.
func all() method.Methods {
	m := method.Methods{hirag.Name: hirag.Open, ketrag.Name: ketrag.Open}
	for _, name := range baseline.Names() {
		m[name] = baseline.Open(name)
	}
	return m
}

// encodings are those of what they keep.
func encodings() []engine.Encoding {
	return slices.Concat(rag.Encodings(), baseline.Encodings(), hirag.Encodings(), ketrag.Encodings())
}

func open(t testing.TB) *ragtest.Corpus {
	t.Helper()
	c := ragtest.Open(t, all(), encodings()...)
	c.Use(ragtest.Fixed)
	return c
}
