package pgkv_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pgkv"
)

// pairs returns n pairs in order, whose values do not compress.
func pairs(n, from, size int) []kv.Pair {
	rnd := rand.New(rand.NewPCG(uint64(from), 1))
	out := make([]kv.Pair, n)
	for i := range out {
		v := make([]byte, size)
		for j := range v {
			v[j] = byte(rnd.Uint32())
		}
		out[i] = kv.Pair{Key: fmt.Appendf(nil, "key%010d", from+i), Value: v}
	}
	return out
}

// counted writes changes and counts them under a guard.
func counted(b *testing.B, tab kv.Table, n int, c *kv.Changes) {
	b.Helper()
	g := kv.Guard{Key: []byte("guard"), New: fmt.Append(nil, n)}
	if n > 1 {
		g.Old = fmt.Append(nil, n-1)
	}
	if err := tab.Write(b.Context(), g, c); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkWrite writes transactions of several sizes to a server that does not sync.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{0, 1, 100, 10_000} {
		b.Run(fmt.Sprintf("pairs=%d", n), func(b *testing.B) {
			tab := open(b, shared.Server(b).NewDatabase(b), pgkv.Options{})
			c := &kv.Changes{Set: pairs(n, 0, 100)}
			i := 0
			for b.Loop() {
				i++
				counted(b, tab, i, c)
			}
			b.ReportMetric(float64(n*i)/b.Elapsed().Seconds(), "pairs/s")
		})
	}
}

// BenchmarkLoad fills an empty table with 100,000 pairs: by writes of 16 MiB, and, for
// comparison, by COPY into a temporary table and by COPY alone, which cannot replace what
// is there.
func BenchmarkLoad(b *testing.B) {
	const total, each = 100_000, 50_000
	all := pairs(total, 0, 200)
	b.Run("writes", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			tab := open(b, shared.Server(b).NewDatabase(b), pgkv.Options{})
			counted(b, tab, 1, &kv.Changes{})
			b.StartTimer()
			n := 1
			for lot := range slices.Chunk(all, each) {
				n++
				counted(b, tab, n, &kv.Changes{Set: lot})
			}
		}
	})
	for _, temporary := range []bool{true, false} {
		b.Run(fmt.Sprintf("copy/temporary=%v", temporary), func(b *testing.B) {
			ctx := b.Context()
			for b.Loop() {
				b.StopTimer()
				url := shared.Server(b).NewDatabase(b)
				open(b, url, pgkv.Options{})
				c, err := pgx.Connect(ctx, url)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { c.Close(context.Background()) })
				b.StartTimer()
				for lot := range slices.Chunk(all, each) {
					err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error { return load(ctx, tx, lot, temporary) })
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// load copies pairs.
func load(ctx context.Context, tx pgx.Tx, pairs []kv.Pair, temporary bool) error {
	table := "ragdb"
	if temporary {
		table = "load"
		if _, err := tx.Exec(ctx, "CREATE TEMPORARY TABLE load (key bytea, value bytea) ON COMMIT DROP"); err != nil {
			return err
		}
	}
	rows := pgx.CopyFromSlice(len(pairs), func(i int) ([]any, error) { return []any{pairs[i].Key, pairs[i].Value}, nil })
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{table}, []string{"key", "value"}, rows); err != nil || !temporary {
		return err
	}
	_, err := tx.Exec(ctx, "INSERT INTO ragdb SELECT key, value FROM load ON CONFLICT (key) DO UPDATE SET value = excluded.value")
	return err
}

// filled returns a view of a table with 100,000 pairs.
func filled(b *testing.B) kv.TableView {
	b.Helper()
	tab := open(b, shared.Server(b).NewDatabase(b), pgkv.Options{})
	n := 0
	for lot := range slices.Chunk(pairs(100_000, 0, 100), 50_000) {
		n++
		counted(b, tab, n, &kv.Changes{Set: lot})
	}
	v, _, err := tab.View(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { v.Close() })
	return v
}

func BenchmarkScan(b *testing.B) {
	v := filled(b)
	for _, limit := range []int{1, 100, 5000} {
		for _, reverse := range []bool{false, true} {
			b.Run(fmt.Sprintf("limit=%d/reverse=%v", limit, reverse), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					lo := fmt.Appendf(nil, "key%010d", i*7919%90_000)
					hi := fmt.Appendf(nil, "key%010d", i*7919%90_000+limit)
					if got, err := v.Scan(b.Context(), lo, hi, reverse, limit); err != nil || len(got) != limit {
						b.Fatal(len(got), err)
					}
				}
			})
		}
	}
}

func BenchmarkMultiGet(b *testing.B) {
	v := filled(b)
	for _, n := range []int{1, 100, 5000} {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			keys := make([][]byte, n)
			for i := 0; b.Loop(); i++ {
				for j := range keys {
					keys[j] = fmt.Appendf(nil, "key%010d", (i+j)*7919%100_000)
				}
				if _, err := v.MultiGet(b.Context(), keys); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkView opens and closes a view with one key: a read of the latest commit.
func BenchmarkView(b *testing.B) {
	tab := open(b, shared.Server(b).NewDatabase(b), pgkv.Options{})
	key := []byte(strings.Repeat("k", 20))
	for b.Loop() {
		v, _, err := tab.View(b.Context(), key)
		if err != nil {
			b.Fatal(err)
		}
		v.Close()
	}
}
