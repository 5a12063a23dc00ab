package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// TestLastNodeLeavesNoKey puts and removes nodes with terms, indexed properties
// and contributions at random, and holds the keys of those families against
// what the nodes that there are have: a key says a term or a value, so none may
// outlive its last node.
func TestLastNodeLeavesNoKey(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		store := memkv.New(layout.Schema())
		db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
			OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		g := graph(t, db, "g")
		r := rand.New(rand.NewPCG(seed, 9))
		words := map[string][]string{} // by node
		values := map[string]string{}
		word := func() string { return fmt.Sprintf("w%d", r.IntN(12)) }
		for range 25 {
			update(t, g, func(v *engine.TxView) {
				if err := v.MakeIndex("p"); err != nil {
					t.Fatal(err)
				}
				if err := v.MakeField("f", engine.FieldOptions{Analyzer: "standard", Positions: true}); err != nil {
					t.Fatal(err)
				}
				thing, err := v.MakeNodeType("thing")
				if err != nil {
					t.Fatal(err)
				}
				said, err := v.MakeNodeType("said")
				if err != nil {
					t.Fatal(err)
				}
				for range 1 + r.IntN(4) {
					key := fmt.Sprintf("n%d", r.IntN(6))
					id, err := v.Lookup(thing, key)
					switch r.IntN(3) {
					case 0: // put
						value := fmt.Sprintf("v%d", r.IntN(5))
						if id, _, err = v.PutNode(thing, key, engine.Props{"p": engine.String(value)}); err != nil {
							t.Fatal(err)
						}
						values[key] = value
						fallthrough
					case 1: // terms
						if err != nil {
							continue
						}
						var terms []text.Term
						list := []string{}
						for i := range r.IntN(4) {
							w := word()
							terms = append(terms, text.Term{Text: w, Pos: uint32(i)})
							list = append(list, w)
						}
						if err := v.PutTerms("f", id, terms); err != nil {
							t.Fatal(err)
						}
						words[key] = list
						name, _, err := v.DeriveNode(said, "s"+key)
						if err != nil {
							t.Fatal(err)
						}
						if err := v.Contribute(id, engine.NodeTarget(name), engine.Contribution{Count: 1}); err != nil {
							t.Fatal(err)
						}
					default:
						if err != nil {
							continue
						}
						if _, err := v.DeleteNode(id); err != nil {
							t.Fatal(err)
						}
						delete(words, key)
						delete(values, key)
					}
				}
			})
			want := map[string]bool{}
			for _, list := range words {
				for _, w := range list {
					want["postings "+w], want["sum "+w], want["sum "] = true, true, true
				}
			}
			for _, p := range values {
				want["value "+p] = true
			}
			got := map[string]bool{}
			sources := 0
			it, err := store.Iter(t.Context(), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			for ok := it.First(); ok; ok = it.Next() {
				tag, _, err := layout.KeyTag(it.Key())
				if err != nil {
					t.Fatal(err)
				}
				switch tag {
				case layout.TagPostings:
					_, term, _ := layout.PostingsOf(it.Key())
					got["postings "+term] = true
				case layout.TagLexSum:
					_, term := layout.LexSumOf(it.Key())
					got["sum "+term] = true
				case layout.TagSetIndex:
					value := it.Key()[9 : len(it.Key())-8] // its end is 00 00 and a container
					got["value "+string(value[1:])] = true
				case layout.TagSources:
					sources++
				}
			}
			if err := it.Close(); err != nil {
				t.Fatal(err)
			}
			for k := range want {
				if !got[k] {
					t.Errorf("seed %d: no key of %q", seed, k)
				}
			}
			for k := range got {
				if !want[k] {
					t.Errorf("seed %d: a needless key of %q", seed, k)
				}
			}
			if sources != len(words) {
				t.Errorf("seed %d: %d sets of sources of %d nodes", seed, sources, len(words))
			}
			if t.Failed() {
				return
			}
		}
		if found := check(t, db, engine.CheckOptions{Full: true}); len(found) > 0 {
			t.Errorf("seed %d: check finds %v", seed, found)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
