package engine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/internal/layout"
)

// Encoding tells the engine how to read bytes that a layer above it keeps in a
// graph: the values of a bucket, or those of a property of nodes.
//
// [DB.Check] reads all such values. A build with the tag ragdb_invariants also
// reads each value when it is written, and refuses one that cannot be read or
// that its encoder would write otherwise.
type Encoding struct {
	// Graph is the name of the graphs that have it, up to a #; "" is any graph.
	Graph string
	// Bucket is the bucket's name. One that ends in @ stands for all names that
	// begin with it.
	Bucket string
	// Prop is a property of nodes, if Bucket is empty.
	Prop string
	// Decode reads a value of a key of the bucket, or of a property of the node
	// with the key. It returns what the encoder writes for what was read, nil
	// if that need not be the same, or what is wrong with the value.
	Decode func(key, value []byte) (again []byte, err error)
	// Rebuild, if it is set, makes the value of a key of the bucket, which
	// Decode refuses, from other data, or removes it. A repair calls it in a
	// transaction.
	Rebuild func(v *TxView, key []byte) error
}

func (e *Encoding) isOf(graph string) bool {
	name, _, _ := strings.Cut(graph, "#")
	return e.Graph == "" || e.Graph == name
}

// bucketEncoding returns how the values of a bucket are read, nil if that is
// not known.
func bucketEncoding(all []Encoding, graph, bucket string) *Encoding {
	for i := range all {
		e := &all[i]
		if e.Bucket == "" || !e.isOf(graph) {
			continue
		}
		if e.Bucket == bucket || strings.HasSuffix(e.Bucket, "@") && strings.HasPrefix(bucket, e.Bucket) {
			return e
		}
	}
	return nil
}

// propEncoding returns how the values of a property are read, nil if that is
// not known.
func propEncoding(all []Encoding, graph, prop string) *Encoding {
	for i := range all {
		if e := &all[i]; e.Prop != "" && e.Prop == prop && e.isOf(graph) {
			return e
		}
	}
	return nil
}

// roundTrip reads a value that is being written and compares it with what the
// encoder writes for what was read.
func (e *Encoding) roundTrip(key, value []byte) error {
	again, err := e.Decode(key, value)
	if err != nil {
		return phase.Mark(ErrInvalid, "what is written cannot be read: %w", err)
	}
	if again != nil && !bytes.Equal(again, value) {
		return phase.Mark(ErrInvalid, "what is written is read as another value: %.200q, not %.200q", again, value)
	}
	return nil
}

// verifyEntry reads an entry of a bucket that is being written, in a build with
// ragdb_invariants.
func (w BucketWriter) verifyEntry(key, value []byte) error {
	name := w.v.nameOf(layout.KindBucket, w.id)
	e := bucketEncoding(w.v.transact.db.opts.Encodings, w.v.graph.Name(), name)
	if e == nil {
		return nil
	}
	if err := e.roundTrip(key, value); err != nil {
		return fmt.Errorf("bucket %s, key %.200q: %w", name, key, err)
	}
	return nil
}

// verifyProps is verifyEntry for the properties of a node.
func (v *TxView) verifyProps(rec *record) error {
	for _, p := range rec.props {
		name := v.nameOf(layout.KindProperty, p.id)
		e := propEncoding(v.transact.db.opts.Encodings, v.graph.Name(), name)
		if e == nil || p.value.kind == KindText { // a long text was verified before
			continue
		}
		if err := e.roundTrip([]byte(rec.key), p.value.encoded()); err != nil {
			return fmt.Errorf("property %s: %w", name, err)
		}
	}
	return nil
}

// encoded returns the bytes of a string or of bytes.
func (v Value) encoded() []byte {
	if v.kind == KindBytes {
		return v.AsBytes()
	}
	return []byte(v.AsString())
}

// checkEncoded reads the values of all buckets of the graph at work.
func (c *checker) checkEncoded(v *View) error {
	if len(c.encodings) == 0 {
		return nil
	}
	unknown := uint32(0)
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagBucket, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagBucket); err != nil {
			return err
		}
		id := binary.BigEndian.Uint32(p.key[5:])
		name := v.nameOf(layout.KindBucket, id)
		if name == "" || unknown == id {
			continue // found by checkBuckets, or before
		}
		e := bucketEncoding(c.encodings, c.at.name, name)
		if e == nil {
			unknown = id
			if err := c.find(p.key, fix{}, "the bucket %q is not known here", name); err != nil {
				return err
			}
			continue
		}
		key := bytes.Clone(layout.BucketPrivate(p.key))
		if _, err := e.Decode(key, p.value); err != nil {
			how := fix{}
			if e.Rebuild != nil {
				how.tx = func(v *TxView) error { return e.Rebuild(v, key) }
			}
			if err := c.find(p.key, how, "%s %q: %v", name, key, err); err != nil {
				return err
			}
		}
	}
	return nil
}
