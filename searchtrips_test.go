package ragdb_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/ragdb/ragdb"
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
)

// TestSearchRoundTrips counts the round trips of a search on a store whose reads are round
// trips. They do not grow with the passages that it finds.
func TestSearchRoundTrips(t *testing.T) {
	t.Parallel()
	remote := kvtest.NewRemote(memkv.New(layout.Schema()))
	db, err := ragdb.Open(t.Context(), ragdb.Memory, &ragdb.Options{Methods: []string{"bridge"}, Engine: &engine.Options{
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return remote, nil },
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var docs []ragdb.Document
	for i := range 80 {
		docs = append(docs, ragdb.Document{ID: fmt.Sprintf("%d.md", i), Text: fmt.Sprintf("The lamp of tower %d was lit by keeper Halvard%d, who came from Brae%d.", i, i, i%7)})
	}
	if err := db.Add(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first opens what a process keeps
		remote.Take()
		hits, err := db.Search(t.Context(), "Who lit the lamp of the tower of Brae3?", ragdb.Top(60))
		if err != nil || len(hits) < 40 {
			t.Fatalf("%d hits, %v", len(hits), err)
		}
	}
	if n := remote.Take().Trips; n > 18 {
		t.Errorf("a search took %d round trips", n)
	} else {
		t.Logf("%d round trips", n)
	}
}
