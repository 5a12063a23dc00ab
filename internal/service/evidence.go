package service

import (
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// Item is a retrieved item as --no-llm prints it.
type Item struct {
	Rank    int           `json:"rank"`
	Section string        `json:"section"`
	Kind    string        `json:"kind"`
	ID      string        `json:"id"`
	Score   float64       `json:"score"`
	Tokens  int           `json:"tokens"`
	Sources []method.Span `json:"sources"`
	Why     Way           `json:"why"`
	Text    string        `json:"text"`
}

// Way tells how an item came into the evidence.
type Way struct {
	// Seed is what the search began with, Path the steps from there.
	Seed string   `json:"seed"`
	Path []string `json:"path"`
	// PPR is the item's mass if the plan spread it over the graph.
	PPR *float64 `json:"ppr,omitempty"`
	// Cut is how the item stood to the budget.
	Cut string `json:"cut"`
}

func NewWay(steps []PathStep) Way {
	w := Way{Path: []string{}}
	for i, s := range steps {
		switch {
		case s.Op == "pack":
			w.Cut = s.Note
			continue
		case s.Op == "ppr":
			mass := s.Score
			w.PPR = &mass
		}
		if i == 0 {
			w.Seed = s.String()
		} else {
			w.Path = append(w.Path, s.String())
		}
	}
	return w
}

// evidence returns what lists in out the items of some evidence with their ids, at the state that they were retrieved from.
func (k *Asking) evidence(out *[]Item) func(*engine.Snapshot, *rag.Evidence) error {
	return func(snap *engine.Snapshot, ev *rag.Evidence) error {
		*out = []Item{}
		for _, s := range ev.Sections {
			for i := range s.Items {
				it := &s.Items[i]
				name, err := refName(snap, k.graphs(), it.Ref())
				if err != nil {
					return err
				}
				steps, err := path(snap, k.graphs(), it.Why)
				if err != nil {
					return err
				}
				kind := it.Kind
				if strings.HasPrefix(kind, method.ChunkNodeType+":") {
					kind = method.ChunkNodeType
				}
				spans := it.Spans
				if spans == nil {
					spans = []method.Span{}
				}
				*out = append(*out, Item{
					Rank: len(*out) + 1, Section: s.Name, Kind: kind, ID: name, Score: it.Score, Tokens: it.Tokens,
					Sources: spans, Why: NewWay(steps), Text: it.Text,
				})
			}
		}
		return nil
	}
}

// graphs are the graphs that a plan's items can be in.
func (k *Asking) graphs() []*engine.Graph {
	if g := k.System.Graph(); g != nil {
		return []*engine.Graph{g, k.Corpus.Base()}
	}
	return []*engine.Graph{k.Corpus.Base()}
}
