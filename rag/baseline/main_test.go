package baseline_test

import (
	"context"
	"testing"

	"github.com/ragdb/ragdb/engine"
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

func models(t testing.TB, c *ragtest.Corpus) *rag.Models {
	t.Helper()
	m, err := c.Models(t.Context(), c.Corpus)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// view calls fn with the base graph and a method's.
func view(t testing.TB, c *ragtest.Corpus, spec string, fn func(base, v *engine.View) error) {
	t.Helper()
	g := c.System(t, spec).Graph()
	err := c.DB.View(context.Background(), func(s *engine.Snapshot) error { return fn(s.Graph(c.Base), s.Graph(g)) })
	if err != nil {
		t.Fatal(err)
	}
}
