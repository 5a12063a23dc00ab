package cypher_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/query/cypher"
)

var long = flag.Bool("long", false, "run random tests for minutes")

// TestCrash runs a random stream of statements that write, and copies the file
// system as a crash would leave it at random operations in the midst of them.
// The copy is in the state after the last statement that had returned, or after
// the one at work: a database in memory says what these are. A full check of it
// is clean, and the stream goes on from there to the same state.
func TestCrash(t *testing.T) {
	seeds := 16
	if *long {
		seeds = 300
	} else if testing.Short() {
		seeds = 2
	}
	var count crashCount
	t.Run("seeds", func(t *testing.T) {
		for seed := range uint64(seeds) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				newStatementCrasher(t, seed, &count).run(60)
			})
		}
	})
	t.Logf("%d crashes, %d of them with the statement at work done, %d in the midst of a COPY, %d between inner transactions", count.crashes, count.done, count.midst, count.between)
	if count.between == 0 && !testing.Short() {
		t.Error("no crash comes between inner transactions")
	}
	if count.done == 0 || count.done == count.crashes {
		t.Error("every crash comes on the same side of its statement: the test does not crash")
	}
}

// crashCount counts what crashes met.
type crashCount struct {
	sync.Mutex
	crashes, done, midst int
	between              int // inner transactions
}

// statementCrasher is a stream of statements on two databases.
type statementCrasher struct {
	t     *testing.T
	seed  uint64
	rnd   *rand.Rand
	loss  *rand.Rand // beside rnd: the stream does not depend on crashes
	files memoryFiles
	rows  int // in files so far
	count *crashCount

	disk   *vfs.MemFS
	tested *cypher.Session
	model  *cypher.Session
	states map[uint64]string // of the model, by epoch

	mu    sync.Mutex // files are written in the background too
	left  int        // operations until the crash; 0 for none
	clone *vfs.MemFS
}

func newStatementCrasher(t *testing.T, seed uint64, count *crashCount) *statementCrasher {
	c := &statementCrasher{
		t: t, seed: seed, count: count, files: memoryFiles{}, states: map[uint64]string{},
		rnd: rand.New(rand.NewPCG(seed, 1)), loss: rand.New(rand.NewPCG(seed, 2)),
		disk: vfs.NewCrashableMem(),
	}
	c.tested = c.open(errorfs.Wrap(c.disk, errorfs.InjectorFunc(c.called)))
	c.model = newSession(t, stores["memkv"], cypher.Options{Files: c.files})
	return c
}

// open opens the database on a file system.
func (c *statementCrasher) open(fs vfs.FS) *cypher.Session {
	c.t.Helper()
	return newSession(c.t, &engine.Options{
		MemoryBudget: 16 << 20, PromoteAt: 8, BlockEdges: 2, NoBackground: true,
		OpenStore: func(ctx context.Context, _ string, s *kv.Schema) (kv.Store, error) {
			return pebblekv.Open(ctx, "db", s, &pebblekv.Options{FS: fs, MemtableBytes: 64 << 10, CacheBytes: 1 << 20})
		},
	}, cypher.Options{Files: c.files})
}

// called counts a call of the file system, and copies it before the one that
// the crash comes at.
func (c *statementCrasher) called(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left > 0 {
		if c.left--; c.left == 0 {
			c.clone = c.disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: max(0, c.loss.IntN(140)-40), RNG: c.loss})
		}
	}
	return nil
}

func (c *statementCrasher) run(statements int) {
	c.states[epochOf(c.model)] = c.state(c.model)
	for i := range statements {
		text, pieces := c.statement(i), []string(nil)
		if c.rnd.IntN(12) == 0 {
			text, pieces = c.inTransactions(i)
		}
		c.mu.Lock()
		if c.loss.IntN(4) > 0 {
			// Most statements take few operations, those of files more.
			c.left = 1 + c.loss.IntN(1+c.loss.IntN(24))
		}
		c.mu.Unlock()
		before := epochOf(c.model)
		var want string
		if pieces == nil {
			want = ran(c.model, text)
		} else {
			want = c.ranPieces(pieces)
		}
		got := ran(c.tested, text)
		if pieces != nil {
			got, _, _ = strings.Cut(got, " ")
		}
		c.mu.Lock()
		c.left = 0
		clone := c.clone
		c.clone = nil
		c.mu.Unlock()
		if got != want {
			c.t.Fatalf("seed %d, %s: %s, in memory %s", c.seed, text, got, want)
		}
		if e, m := epochOf(c.tested), epochOf(c.model); e != m || e > before+1 && !strings.HasPrefix(text, "COPY") && pieces == nil {
			c.t.Fatalf("seed %d, %s: from commit %d to %d, in memory to %d", c.seed, text, before, e, m)
		}
		c.states[epochOf(c.model)] = c.state(c.model)
		if clone != nil {
			c.revive(clone, text, before)
		}
	}
	if c.state(c.tested) != c.states[epochOf(c.model)] {
		c.t.Errorf("seed %d: another state than in memory", c.seed)
	}
}

// revive opens a copy taken while a statement was at work after the commit
// before, and compares it.
func (c *statementCrasher) revive(clone *vfs.MemFS, text string, before uint64) {
	c.t.Helper()
	s := c.open(clone)
	epoch, after := epochOf(s), epochOf(c.model)
	want, known := c.states[epoch]
	c.count.Lock()
	c.count.crashes++
	switch {
	case !known:
		c.count.midst++
	case epoch > before && epoch < after:
		c.count.between++
	case epoch == after:
		c.count.done++
	}
	c.count.Unlock()
	switch {
	case epoch < before || epoch > after:
		c.t.Fatalf("seed %d, %s: commit %d survives a crash between %d and %d", c.seed, text, epoch, before, after)
	case known && c.state(s) != want:
		c.t.Fatalf("seed %d, %s: another state than that of commit %d after a crash", c.seed, text, epoch)
	case !known && !strings.HasPrefix(text, "COPY"):
		c.t.Fatalf("seed %d, %s: commit %d is of no statement", c.seed, text, epoch)
	}
	for f, err := range database(s).Check(c.t.Context(), engine.CheckOptions{Full: true}) {
		c.t.Errorf("seed %d, %s: check after a crash: %v, %v", c.seed, text, f, err)
	}
	if epoch == before && after > before {
		inner := strings.Contains(text, "IN TRANSACTIONS") // may end with an error, too
		if got, want := ran(s, text), "done"; !strings.HasPrefix(got, want) && !inner || c.state(s) != c.states[after] {
			c.t.Errorf("seed %d, %s: run again after a crash: %s, or another state", c.seed, text, got)
		}
	}
}

// ran runs a statement and says what came of it.
func ran(s *cypher.Session, text string) string {
	_, counts, err := outcome(s, text, nil)
	if err != nil {
		return "error " + err.Error()
	}
	return "done " + countsText(counts)
}

func epochOf(s *cypher.Session) uint64 { return database(s).Epoch() }

// database returns the database of a session.
func database(s *cypher.Session) *engine.DB {
	g, err := s.Namespace().Graph(context.Background(), s.Graph())
	if err != nil {
		panic(err)
	}
	return g.DB()
}

// state returns the export of the namespace, but for the first line, which
// tells of the export itself.
func (c *statementCrasher) state(s *cypher.Session) string {
	c.t.Helper()
	var buf bytes.Buffer
	err := database(s).View(c.t.Context(), func(snap *engine.Snapshot) error {
		return snap.Export(c.t.Context(), s.Namespace().Name(), &buf, engine.ExportOptions{})
	})
	if err != nil {
		c.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(buf.String(), "\n")
	return rest
}

// statement returns the i-th statement of the stream.
func (c *statementCrasher) statement(i int) string {
	r := c.rnd
	key := func() string { return fmt.Sprintf("k%d", r.IntN(15)) }
	label := func() string { return []string{"A", "B"}[r.IntN(2)] }
	property := func() string { return []string{"n", "s", "m"}[r.IntN(3)] }
	switch r.IntN(24) {
	case 0, 1:
		return fmt.Sprintf("CREATE (:%s {key: '%s', n: %d, s: '%s'})", label(), key(), r.IntN(5), strings.Repeat("x", r.IntN(2000)))
	case 2, 3:
		return fmt.Sprintf("MERGE (a:%s {key: '%s'}) ON CREATE SET a.n = %d ON MATCH SET a.m = %d", label(), key(), r.IntN(5), i)
	case 4:
		return fmt.Sprintf("MATCH (a:A {key: '%s'}), (b:B {key: '%s'}) CREATE (a)-[:R {weight: %d, since: %d}]->(b)", key(), key(), r.IntN(4), i)
	case 5:
		return fmt.Sprintf("MERGE (a:A {key: '%s'}) MERGE (b:B {key: '%s'}) MERGE (a)-[r:R]->(b) SET r.since = %d", key(), key(), i)
	case 6: // a hub, whose list is moved into containers
		return fmt.Sprintf("MERGE (h:A {key: '%s'}) WITH h UNWIND range(0, %d) AS i MERGE (b:B {key: 'k' + toString(i)}) MERGE (h)-[:L]->(b)", key(), r.IntN(15))
	case 7:
		return fmt.Sprintf("MATCH (a:%s) WHERE a.n < %d SET a.n = a.n + 1, a.s = '%s'", label(), r.IntN(5), strings.Repeat("y", r.IntN(3000)))
	case 8:
		return fmt.Sprintf("MATCH (a:A) WHERE a.n > %d SET a.v = [1.0, a.n]", r.IntN(4))
	case 9:
		return fmt.Sprintf("MATCH (a:%s) WHERE a.n = %d REMOVE a.%s", label(), r.IntN(5), property())
	case 10:
		return fmt.Sprintf("MATCH (a:%s {key: '%s'}) DETACH DELETE a", label(), key())
	case 11:
		return fmt.Sprintf("MATCH (:A {key: '%s'})-[r]->() DELETE r", key())
	case 12, 13:
		return fmt.Sprintf("CREATE INDEX IF NOT EXISTS FOR (a:A) ON (a.%s)", property())
	case 14:
		return fmt.Sprintf("DROP INDEX %s", property())
	case 15:
		return "CREATE VECTOR INDEX vecs FOR (a:A) ON (a.v) OPTIONS {dimensions: 2, similarity: 'euclidean'}"
	case 16:
		return "DROP INDEX vecs IF EXISTS"
	case 17:
		return fmt.Sprintf("MATCH (a:%s) WHERE a.n < %d SET a.m = %s", label(), r.IntN(6), []string{
			fmt.Sprintf("date('2024-01-01') + duration({days: %d})", i), "[time('10:00+01:00'), time('10:00')]", "duration('P1M')", "datetime('2024-07-01[Europe/Vienna]')",
			fmt.Sprintf("[a.n, %d]", i), "[1.5, 2]", "[true, false]", "point({x: a.n, y: 1})", "[point({x: 1, y: 1})]",
		}[r.IntN(9)])
	case 18: // no label, one or several
		return []string{
			fmt.Sprintf("MATCH (a {key: '%s'}) SET a:C:%s", key(), label()), fmt.Sprintf("MATCH (a:C {key: '%s'}) REMOVE a:%s", key(), label()), "CREATE ({n: 1})",
		}[r.IntN(3)]
	case 19: // parallel edges
		return fmt.Sprintf("MATCH (a:A {key: '%s'}), (b:B) CREATE (a)-[:R {since: %d, how: 'by road %d'}]->(b), (a)-[:R {weight: 2, how: ['by', 'sea']}]->(b)", key(), i, i%3)
	case 20:
		return "CREATE " + rulesMade[r.IntN(len(rulesMade))]
	case 21, 22:
		return rulesDropped[r.IntN(len(rulesDropped))]
	}
	return c.copyStatement()
}

// rulesMade and rulesDropped make and drop indexes and constraints over labels and edges.
var (
	rulesMade = []string{
		"INDEX pair IF NOT EXISTS FOR (a:B) ON (a.n, a.s)", "INDEX since IF NOT EXISTS FOR ()-[r:R]-() ON (r.since)", "FULLTEXT INDEX words IF NOT EXISTS FOR (a:A|B) ON EACH [a.s, a.key]",
		"FULLTEXT INDEX ways IF NOT EXISTS FOR ()-[r:R|L]-() ON EACH [r.s, r.how]", "CONSTRAINT one IF NOT EXISTS FOR (a:B) REQUIRE a.m IS UNIQUE", "CONSTRAINT dated IF NOT EXISTS FOR ()-[r:R]-() REQUIRE r.since IS NOT NULL", "CONSTRAINT whole IF NOT EXISTS FOR (a:C) REQUIRE a.n IS :: INTEGER",
	}
	rulesDropped = []string{
		"DROP INDEX pair IF EXISTS", "DROP INDEX since IF EXISTS", "DROP INDEX words IF EXISTS", "DROP INDEX ways IF EXISTS", "DROP CONSTRAINT one IF EXISTS", "DROP CONSTRAINT dated IF EXISTS", "DROP CONSTRAINT whole IF EXISTS",
	}
)

// inTransactions returns a statement that commits every few rows, one of which may
// fail, and statements that are one of these transactions each.
func (c *statementCrasher) inTransactions(i int) (text string, pieces []string) {
	rows, size, fails := 1+c.rnd.IntN(12), 1+c.rnd.IntN(4), c.rnd.IntN(24)
	of := func(from, to int) string {
		return fmt.Sprintf("UNWIND range(%d, %d) AS i CALL (i) { MERGE (a:A {key: 'k' + i}) SET a.n = i * %d / (i - %d) MERGE (h:B {key: 'k0'}) CREATE (a)-[:R {since: i}]->(h) } IN TRANSACTIONS OF %d ROWS",
			from, to, i, fails, size)
	}
	for from := 1; from <= rows; from += size {
		pieces = append(pieces, of(from, min(from+size-1, rows)))
	}
	return of(1, rows), pieces
}

// ranPieces runs statements on the model up to one that fails, and keeps the state
// after each.
func (c *statementCrasher) ranPieces(pieces []string) string {
	for _, text := range pieces {
		out, _, _ := strings.Cut(ran(c.model, text), " ")
		if out != "done" {
			return out
		}
		c.states[epochOf(c.model)] = c.state(c.model)
	}
	return "done"
}

// copyStatement makes a file of new nodes, some with vectors, or of edges among
// those of the last one.
func (c *statementCrasher) copyStatement() string {
	var b strings.Builder
	first := max(0, c.rows-20)
	if c.rows > 0 && c.rnd.IntN(2) == 0 {
		for i := first; i < c.rows; i++ {
			fmt.Fprintf(&b, "{\"from\": \"f%d\", \"to\": \"f%d\", \"weight\": %d", i, first+i*i%20%(c.rows-first), i%3)
			if c.rnd.IntN(8) == 0 {
				fmt.Fprintf(&b, ", \"since\": %d", i)
			}
			b.WriteString("}\n")
		}
		c.files["edges.jsonl"] = bytes.NewBufferString(b.String())
		return "COPY L FROM 'edges.jsonl' (FROM A TO A)"
	}
	for range 20 {
		fmt.Fprintf(&b, "{\"key\": \"f%d\", \"n\": %d, \"s\": \"%s\"", c.rows, c.rnd.IntN(5), strings.Repeat("z", c.rnd.IntN(200)))
		c.rows++
		b.WriteString("}\n")
	}
	c.files["nodes.jsonl"] = bytes.NewBufferString(b.String())
	return "COPY A FROM 'nodes.jsonl'"
}
