package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// CheckOptions tunes a check. The zero value is a quick one.
type CheckOptions struct {
	// Full also reads every key and compares everything that is stored twice.
	// Without it a check verifies the storage engine's own files, the
	// database's facts about itself, the directory and the catalogs.
	Full bool
	// Repair rewrites what is derived from other data if the two differ:
	// in-adjacency from out-adjacency, sets of nodes of a type and blocks from records,
	// promoted sets, sources from contributions, property indexes and lexical
	// sums; it removes lists that hold nothing, and does what
	// [Encoding].Rebuild says. It never touches data that is not derived, nor
	// what is derived from data that is damaged itself. It makes
	// the check full.
	Repair bool
	// Encodings tell how to read what the layers above keep; nil is those that
	// the database was opened with. With none, values of buckets are not read;
	// with any, a bucket that none of them is for is a finding.
	Encodings []Encoding
	// Progress, if set, is called now and then with the family of keys at
	// work and the number of keys read so far.
	Progress func(space string, keys int64)
}

// Finding is a fault that a check found.
type Finding struct {
	// Space is the family of keys, or "store" for the engine's files.
	Space string `json:"space"`
	// Graph is namespace/graph; empty if the finding concerns no graph.
	Graph string `json:"graph,omitempty"`
	// Key is the key in readable form; empty if the finding concerns no key.
	Key  string `json:"key,omitempty"`
	What string `json:"what"`
	// Repairable says that [CheckOptions].Repair can put it right; Repaired
	// that it did.
	Repairable bool `json:"repairable"`
	Repaired   bool `json:"repaired"`
}

// String renders the finding on one line.
func (f Finding) String() string {
	s := f.Space
	if f.Graph != "" {
		s += " of " + f.Graph
	}
	if f.Key != "" {
		s += " " + f.Key
	}
	return s + ": " + f.What
}

// Check verifies the database and yields what is wrong, in no particular order. A
// sound database yields nothing. An error is the last thing yielded and says why
// the check could not go on.
//
// Without Repair it reads one snapshot and blocks no other call. With Repair it is
// the writer until it ends, so the loop over the findings must not write. A quick
// check takes the time to read the engine's files once. A full one takes a few
// times that, and keeps sets of the nodes of one graph in memory.
func (db *DB) Check(ctx context.Context, o CheckOptions) iter.Seq2[Finding, error] {
	if o.Repair {
		o.Full = true
	}
	return func(yield func(Finding, error) bool) {
		c := &checker{db: db, ctx: ctx, o: o, yield: yield, fb: flatbuffers.NewBuilder(1024), damaged: map[family]bool{}}
		if c.encodings = o.Encodings; c.encodings == nil {
			c.encodings = db.opts.Encodings
		}
		if err := c.run(); err != nil && !errors.Is(err, errStopped) {
			yield(Finding{}, phase.Errorf("check: %w", err))
		}
	}
}

// errStopped ends a check whose consumer has stopped.
var errStopped = errors.New("stopped")

// family names the keys of a kind in one graph.
type family struct {
	graph uint32
	tag   layout.Tag
}

// checker is the state of a check.
type checker struct {
	db    *DB
	ctx   context.Context
	o     CheckOptions
	yield func(Finding, error) bool
	snap  *Snapshot
	keys  int64
	fb    *flatbuffers.Builder

	encodings []Encoding

	graphs  []listed
	known   map[uint32]*listed
	damaged map[family]bool // have values or keys that cannot be read

	// unsure says that a family could not be read to its end: what else is
	// damaged is not known, and nothing is repaired any more.
	unsure bool

	at    *listed // the graph at work
	held  []heldFinding
	empty emptyKeys
}

// heldFinding is a finding that waits for its repair.
type heldFinding struct {
	Finding
	fix fix
}

// fix repairs a finding: in a batch, if the graph may not be readable, or
// in a transaction of the graph.
type fix struct {
	batch func(b kv.Batch)
	tx    func(v *TxView) error
}

func (f *fix) none() bool { return f.batch == nil && f.tx == nil }

// heldMax is how many findings wait for their repairs to be committed
// together.
const heldMax = 256

func (c *checker) run() (err error) {
	if c.o.Repair {
		if err := c.db.enter(); err != nil {
			return err
		}
		defer c.db.leave()
		if c.db.ReadOnly(c.ctx) {
			return ErrReadOnly
		}
		if err := c.db.lockWriter(c.ctx); err != nil {
			return err
		}
		defer c.db.unlockWriter()
	}
	if c.snap, err = c.db.Snapshot(c.ctx); err != nil {
		return err
	}
	defer func() { err = firstError(err, c.snap.Close()) }()
	for _, part := range []func() error{c.checkStore, c.checkMeta, c.checkDirectory} {
		if err := part(); err != nil {
			return err
		}
	}
	if c.o.Full {
		if err := c.pass(family{}, c.checkKeys); err != nil {
			return err
		}
	}
	for i := range c.graphs {
		c.at = &c.graphs[i]
		if err := c.checkGraph(); err != nil {
			return err
		}
	}
	return nil
}

// checkGraph runs the passes over one graph.
func (c *checker) checkGraph() error {
	g := c.at.graph
	if err := c.pass(family{g, layout.TagCatalog}, c.checkCatalog); err != nil {
		return err
	}
	if err := c.pass(family{g, layout.TagNode}, c.checkNextNode); err != nil {
		return err
	}
	if !c.o.Full {
		return nil
	}
	// The passes share what they read of the graph; each has a view of its own,
	// since the ones before it may have repaired something.
	var n nodeSets
	a := adjacencyCheck{c: c, n: &n}
	s := contributionCheck{c: c, n: &n}
	for _, p := range []struct {
		tag layout.Tag
		run func(v *View) error
	}{
		{layout.TagNode, func(v *View) error { return c.checkNodes(v, &n) }},
		{layout.TagNodesOfType, func(v *View) error { return c.checkTypes(v, &n) }},
		{layout.TagNodeBlock, c.checkNodeBlocks},
		{layout.TagExternalKey, func(v *View) error { return c.checkExternal(v, &n) }},
		{layout.TagOut, func(v *View) error { return a.walk(v, layout.Out) }},
		{layout.TagIn, func(v *View) error { return a.walk(v, layout.In) }},
		{layout.TagIn, a.compare},
		{layout.TagPromoted, func(v *View) error { return c.checkPromoted(v, &n) }},
		{layout.TagParallel, c.checkParallel},
		{layout.TagEdge, c.checkEdgeRecords},
		{layout.TagEdgeBlock, c.checkEdgeBlocks},
		{layout.TagContribution, s.contributions},
		{layout.TagSources, s.sources},
		{layout.TagSources, s.compare},
		{layout.TagSources, s.edges},
		{layout.TagSetIndex, c.checkIndexes},
		{layout.TagEdgeIndex, c.checkEdgeIndexes},
		{layout.TagPostings, func(v *View) error { return c.checkTerms(v, &n) }},
		{layout.TagTermsOf, c.checkRules},
		{layout.TagSpace, func(v *View) error { return c.checkSpaces(v, &n) }},
		{layout.TagBucket, c.checkBuckets},
		{layout.TagBucket, c.checkEncoded},
	} {
		stop := false
		err := c.pass(family{g, p.tag}, func() error {
			v, err := c.snap.open(c.ctx, c.at)
			if errors.Is(err, ErrCorrupt) {
				// Some key that the graph is opened by: it was found already.
				stop = true
				return nil
			}
			if err != nil {
				return err
			}
			return p.run(v)
		})
		if err != nil || stop {
			return err
		}
	}
	return nil
}

// pass runs one pass, commits its repairs and goes on from the state after
// them. Damage that ends the pass is a finding.
func (c *checker) pass(f family, run func() error) error {
	err := run()
	if errors.Is(err, ErrCorrupt) {
		c.unsure = true
		err = c.emit(corruptFinding(f.tag, err))
	}
	if err != nil {
		return err
	}
	return c.flush()
}

// corruptFinding returns damage that reading a family met as a finding.
func corruptFinding(tag layout.Tag, err error) Finding {
	f := Finding{Space: tag.String(), What: damageOf(err)}
	var e *kv.CorruptError
	if errors.As(err, &e) {
		f.Key = e.Key
	}
	return f
}

// step counts a key that was read.
func (c *checker) step(tag layout.Tag) error {
	c.keys++
	if c.keys%4096 != 1 {
		return nil
	}
	if c.o.Progress != nil {
		c.o.Progress(tag.String(), c.keys)
	}
	return c.ctx.Err()
}

// find reports what is wrong with a key.
func (c *checker) find(key []byte, f fix, format string, args ...any) error {
	tag := layout.Tag(0)
	if len(key) > 0 {
		tag = layout.Tag(key[0])
	}
	return c.report(Finding{Space: tag.String(), Key: layout.Format(key), What: fmt.Sprintf(format, args...)}, f)
}

// report yields a finding, once it is repaired if it can and is to be.
func (c *checker) report(f Finding, how fix) error {
	f.Repairable = !how.none() && !c.unsure
	if !f.Repairable || !c.o.Repair {
		return c.emit(f)
	}
	if c.at != nil {
		f.Graph = c.at.String()
	}
	c.held = append(c.held, heldFinding{f, how})
	if len(c.held) < heldMax {
		return nil
	}
	return c.commitHeld()
}

func (c *checker) emit(f Finding) error {
	if c.at != nil && f.Graph == "" {
		f.Graph = c.at.String()
	}
	if !c.yield(f, nil) {
		return errStopped
	}
	return nil
}

// damageOf returns what an error says of damage, without the calls that met it.
func damageOf(err error) string {
	var damage *kv.CorruptError
	if errors.As(err, &damage) && damage.File != "" {
		return damage.Error()
	}
	return err.Error()
}
