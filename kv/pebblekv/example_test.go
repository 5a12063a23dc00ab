package pebblekv_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	st, err := pebblekv.Open(ctx, filepath.Join(dir, "db"), kvtest.Schema(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := st.NewBatch()
	b.Set([]byte("city/berlin"), []byte("3.7"))
	b.Set([]byte("city/paris"), []byte("2.1"))
	if err := st.Apply(ctx, b, kv.Sync); err != nil {
		fmt.Println(err)
	}
	it, err := st.Iter(ctx, []byte("city/"), []byte("city0"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for it.First(); it.Valid(); it.Next() {
		fmt.Printf("%s %s\n", it.Key(), it.Value())
	}
	fmt.Println(it.Err(), it.Close(), st.Close())
	// Output:
	// city/berlin 3.7
	// city/paris 2.1
	// <nil> <nil> <nil>
}
