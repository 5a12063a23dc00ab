package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine/internal/schema"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// validKeys yields the well-formed keys with a prefix; checkKeys reports the
// others.
func validKeys(ctx context.Context, r kv.Reader, prefix []byte) iter.Seq2[pair, error] {
	return func(yield func(pair, error) bool) {
		for p, err := range scan(ctx, r, prefix) {
			if err == nil && layout.Validate(p.key) != nil {
				continue
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

// checkKeys reads every key of the database: it must be one that a builder
// makes, of a graph that the directory knows, and its value must decode.
func (c *checker) checkKeys() (err error) {
	it, err := c.snap.kv.Iter(c.ctx, nil, nil)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, it.Err(), it.Close()) }()
	for ok := it.First(); ok; {
		key := it.Key()
		tag, g, err := layout.KeyTag(key)
		if err := c.step(tag); err != nil {
			return err
		}
		if err == nil {
			err = layout.Validate(key)
		}
		if err != nil {
			c.damaged[family{g, tag}] = true
			// Stores take no such key, not even to delete it.
			if err := c.find(key, fix{}, "%v", err); err != nil {
				return err
			}
			ok = it.Next()
			continue
		}
		if c.at = c.known[g]; g != 0 && c.at == nil {
			if err := c.find(key, fix{}, "a key of graph %d, which the directory does not know", g); err != nil {
				return err
			}
			ok = it.SeekGE(layout.Next(layout.GraphPrefix(tag, g)))
			continue
		}
		if err := c.decode(tag, key, it.Value()); err != nil {
			f := c.deleteKey(key)
			c.damaged[family{g, tag}] = c.damaged[family{g, tag}] || f.none()
			if tag == layout.TagEdgeBlock { // what is in records or in blocks is of one kind
				c.damaged[family{g, layout.TagEdge}] = true
			}
			if err := c.find(key, f, "%v", err); err != nil {
				return err
			}
		}
		if err := c.noteEmpty(tag, g, key, it.Value()); err != nil {
			return err
		}
		c.at = nil
		ok = it.Next()
	}
	return c.reportEmpty()
}

// idLimit is above every id that a node can have.
const idLimit = math.MaxUint32

// decode returns what is wrong with a value.
func (c *checker) decode(tag layout.Tag, key, value []byte) error {
	var err error
	switch tag {
	case layout.TagNodesOfType, layout.TagPromoted, layout.TagSources, layout.TagSetIndex, layout.TagPostings:
		if n := layout.LastContainer(key); n > layout.Container(idLimit) {
			return fmt.Errorf("container %d is of nodes of 2^32 or more", n)
		}
	}
	switch tag {
	case layout.TagName:
		err = length(value, 4)
	case layout.TagExternalKey:
		err = length(value, 8)
	case layout.TagGraphMeta:
		err = c.decodeGraphMeta(string(key[5:]), value)
	case layout.TagCatalog, layout.TagNode, layout.TagEdge, layout.TagContribution, layout.TagSpace:
		err = c.decodeRecord(tag, value)
	case layout.TagNodeBlock:
		err = verifyNodeBlock(key, value)
	case layout.TagText:
		_, err = appendTextPart(c.db.zdec, nil, value)
	case layout.TagOut, layout.TagIn:
		limit := uint64(idLimit)
		if a, ok := layout.ReadAdjacency(key); ok && !a.Inline {
			limit = 0xFFFF
		}
		err = checkSet(value, limit, true)
	case layout.TagNodesOfType, layout.TagPromoted, layout.TagSources, layout.TagSetIndex:
		err = checkSet(value, 0xFFFF, false)
	case layout.TagParallel:
		_, err = decodeWeight(value)
	case layout.TagEdgeBlock:
		err = decodeEdgeBlock(key, value)
	case layout.TagEdgeIndex:
		err = length(value, 0)
	case layout.TagPostings:
		err = checkPostings(value)
	case layout.TagLexSum:
		var n [2]uint64
		if n, err = decodeLexSum(key, value); err == nil {
			err = length(value, len(layout.AppendSum(nil, int64(n[0]), int64(n[1]))))
		}
	case layout.TagTermsOf:
		_, _, err = decodeForward(value)
	case layout.TagChange:
		_, err = decodeChanges(value, roaring.New())
	}
	return err
}

// decodeGraphMeta returns what is wrong with a fact about a graph.
func (c *checker) decodeGraphMeta(name string, value []byte) error {
	if name == metaLabels {
		return length(value, 1)
	}
	if err := length(value, 8); err != nil || name != "version" {
		return err
	}
	return c.counted(layout.Uint64(value))
}

// counted refuses the number of a commit after the last one.
func (c *checker) counted(epoch uint64) error {
	if epoch > c.snap.epoch {
		return fmt.Errorf("written by commit %d, after the last one %d", epoch, c.snap.epoch)
	}
	return nil
}

// decodeRecord returns what is wrong with a record. Its bytes do not say where it ends: it
// is as long as what it holds is when it is written again.
func (c *checker) decodeRecord(tag layout.Tag, value []byte) (err error) {
	var again []byte
	epoch := uint64(0)
	switch tag {
	case layout.TagCatalog:
		var x catalogEntry
		if x, err = decodeCatalogEntry(value); err == nil {
			epoch, again = x.epoch, encodeCatalogEntry(c.fb, &x)
		}
	case layout.TagNode:
		var x record
		if x, err = decodeNodeFully(value); err == nil {
			epoch, again = x.epoch, x.encode(c.fb)
		}
	case layout.TagEdge:
		var props []prop
		if props, err = decodeEdge(value); err == nil {
			epoch = schema.GetRootAsEdge(value, 0).Epoch()
			again = encodeEdge(c.fb, epoch, props)
		}
	case layout.TagContribution:
		var x Contribution
		if x, err = decodeContribution(value); err == nil && !finite(x.Weight) {
			err = fmt.Errorf("weight %v", x.Weight)
		}
		again = encodeContribution(c.fb, &x)
	case layout.TagSpace:
		var x space
		if x, err = decodeSpace(value); err == nil {
			err = x.config(0, 0).Validate()
		}
		if err == nil {
			epoch = schema.GetRootAsSpace(value, 0).Epoch()
			again = x.encode(c.fb, epoch)
		}
	}
	switch {
	case err != nil:
		return err
	case len(again) != len(value):
		return fmt.Errorf("a record of %d bytes, whose content takes %d", len(value), len(again))
	}
	return c.counted(epoch)
}

func length(value []byte, n int) error {
	if len(value) != n {
		return fmt.Errorf("a value of %d bytes, not %d", len(value), n)
	}
	return nil
}

func finite(w float32) bool { return w-w == 0 }

func decodeNodeFully(value []byte) (record, error) {
	rec, err := decodeRecord(value, true)
	switch {
	case err != nil:
		return rec, err
	case rec.key == "" || len(rec.key) > maxKeyBytes:
		return rec, fmt.Errorf("the caller's key has %d bytes", len(rec.key))
	}
	for i, p := range rec.props {
		if i > 0 && rec.props[i-1].id >= p.id {
			return rec, errors.New("properties are not in order")
		}
		if p.value.kind == KindText && (p.value.num < 0 || p.value.num > textPart*(math.MaxUint16+1)) {
			return rec, fmt.Errorf("a text of %d bytes", p.value.num)
		}
	}
	return rec, nil
}

func checkSet(value []byte, limit uint64, weights bool) error {
	var s layout.Set
	if err := layout.CheckSet(value, &s); err != nil {
		return err
	}
	// CheckSet refuses what does not ascend.
	if n := len(s.IDs); n > 0 && s.IDs[n-1] > limit {
		return fmt.Errorf("id %d, at most %d", s.IDs[n-1], limit)
	}
	if s.Weights != nil && !weights {
		return errors.New("weights in a set that has none")
	}
	for _, w := range s.Weights {
		if !finite(w) {
			return fmt.Errorf("weight %v", w)
		}
	}
	return nil
}

func checkPostings(value []byte) error {
	ps, err := layout.CheckPostings(value, nil)
	if err != nil {
		return err
	}
	for i := range ps {
		switch p := &ps[i]; {
		case p.Node > 0xFFFF:
			return fmt.Errorf("node %d in a container", p.Node)
		case p.Freq == 0 || p.Freq > p.Words:
			return fmt.Errorf("%d of the %d words of a node", p.Freq, p.Words)
		}
	}
	return nil
}
