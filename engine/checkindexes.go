package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
)

// checkIndexes compares the property indexes with the properties. First by a
// sum of hashes, entry by entry only if that differs.
func (c *checker) checkIndexes(v *View) error {
	empty, err := v.emptyFamily(layout.TagSetIndex)
	if err != nil || empty && len(v.Indexes()) == 0 && !v.hasRules() {
		return err
	}
	seed := maphash.MakeSeed()
	hash := func(key []byte, low uint64) uint64 { return mixAll(maphash.Bytes(seed, key), low) }
	var want, have uint64
	err = c.eachIndexed(v, func(id uint64, key []byte) error {
		want += hash(key, id&0xFFFF)
		return nil
	})
	if err != nil {
		return err
	}
	err = c.eachEntry(v, func(key []byte, id uint64) error {
		have += hash(key, id&0xFFFF)
		return nil
	})
	if err != nil || want == have {
		return err
	}
	err = c.eachIndexed(v, func(id uint64, key []byte) error {
		ok, err := v.inSet(key, id&0xFFFF)
		if err != nil || ok {
			return err
		}
		return c.find(key, c.mergeOne(layout.TagNode, key, id&0xFFFF, true), "node %d has the value, but is not in the index", id)
	})
	if err != nil {
		return err
	}
	return c.eachEntry(v, func(key []byte, id uint64) error {
		rec, err := v.record(NodeID(id), true)
		if err != nil && !isNotFound(err) && !errors.Is(err, ErrCorrupt) {
			return err
		}
		keys, err := v.nodeIndexKeys(NodeID(id), &rec)
		if err != nil && !isNotFound(err) && !errors.Is(err, ErrCorrupt) {
			return err
		}
		if slices.ContainsFunc(keys, func(k []byte) bool { return bytes.Equal(k, key) }) {
			return nil
		}
		return c.find(key, c.mergeOne(layout.TagNode, key, id&0xFFFF, false), "node %d is in the index, but does not have the value", id)
	})
}

// eachIndexed calls fn with every index key that a record's properties put its
// node under.
func (c *checker) eachIndexed(v *View, fn func(id uint64, key []byte) error) error {
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagNode, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagNode); err != nil {
			return err
		}
		rec, err := decodeRecord(p.value, true)
		if err != nil {
			continue // found by checkKeys
		}
		id := layout.NodeID(p.key)
		keys, err := v.nodeIndexKeys(NodeID(id), &rec)
		if err != nil && !errors.Is(err, ErrCorrupt) {
			return err
		}
		for _, key := range keys {
			if err := fn(id, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachEntry calls fn with every entry of the property indexes.
func (c *checker) eachEntry(v *View, fn func(key []byte, id uint64) error) error {
	var set layout.Set
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagSetIndex, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagSetIndex); err != nil {
			return err
		}
		set.Reset()
		if layout.ReadSet(p.value, &set) != nil {
			continue // found by checkKeys
		}
		base := layout.LastContainer(p.key) << 16
		for _, low := range set.IDs {
			if err := fn(p.key, base|low); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkBuckets verifies that buckets have names.
func (c *checker) checkBuckets(v *View) (err error) {
	prefix := layout.GraphPrefix(layout.TagBucket, v.g)
	it, err := v.kv.Iter(v.ctx, prefix, layout.Next(prefix))
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, it.Err(), it.Close()) }()
	for ok := it.First(); ok; {
		if layout.Validate(it.Key()) != nil {
			ok = it.Next() // found by checkKeys
			continue
		}
		if err := c.step(layout.TagBucket); err != nil {
			return err
		}
		id := binary.BigEndian.Uint32(it.Key()[5:])
		if v.nameOf(layout.KindBucket, id) == "" {
			if err := c.find(it.Key(), fix{}, "bucket %d has no name", id); err != nil {
				return err
			}
		}
		ok = it.SeekGE(layout.Next(layout.Bucket(v.g, id, nil)))
	}
	return nil
}
