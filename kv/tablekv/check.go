package tablekv

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/ragdb/ragdb/kv"
)

// Check verifies the rows that the store keeps for itself: the state record, the log of
// commits, staged changes, and that the pieces of values are those that are listed. What
// rows of the schema's keys hold is for the layers above. It returns the first damage.
func (s *Store) Check(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.life.Leave()
	err := s.reading(ctx, nil, func(v *view) error {
		c := &check{v: v, ctx: ctx, pieces: map[string]uint32{}}
		if v.new {
			return nil
		}
		return c.run()
	})
	if err != nil {
		return phase.At("check", err)
	}
	return nil
}

// check verifies one state of the table.
type check struct {
	v      *view
	ctx    context.Context
	pieces map[string]uint32 // how many pieces a value is listed with, less those that were met
	logged uint64            // the last commit whose row was met
}

func (c *check) run() error {
	if err := c.each(largeLo, largeHi, c.large); err != nil {
		return err
	}
	rec := &c.v.rec
	if rec.commit > logCommits {
		c.logged = rec.commit - logCommits
	}
	if err := c.each(ownPrefix, nil, c.own); err != nil {
		return err
	}
	if c.logged != rec.commit {
		return damaged(fmt.Sprint("log of commit ", c.logged+1), "the row is missing")
	}
	if rec.staged {
		return nil // pieces are on their way
	}
	for k, n := range c.pieces {
		if n > 0 {
			return c.v.s.corrupt([]byte(k), "a piece of its value is missing")
		}
	}
	return nil
}

func damaged(key, why string) error { return &kv.CorruptError{Key: key, Why: why} }

// each calls fn with the rows of a range, page by page.
func (c *check) each(lo, hi []byte, fn func(page []kv.Pair) error) error {
	for {
		page, err := c.v.t.Scan(c.ctx, lo, hi, false, mostRows)
		if err == nil {
			err = fn(page)
		}
		if err != nil || len(page) < mostRows {
			return err
		}
		lo = append(page[len(page)-1].Key, 0)
	}
}

// large reads which values are in pieces, and the rows of these values, which say so too.
func (c *check) large(page []kv.Pair) error {
	keys := make([][]byte, len(page))
	for i, p := range page {
		keys[i] = p.Key[len(largeLo):]
		if len(p.Value) != 4 {
			return c.v.s.corrupt(keys[i], "the number of its pieces is missing")
		}
		c.pieces[string(keys[i])] = binary.BigEndian.Uint32(p.Value)
	}
	if len(keys) == 0 || c.v.rec.staged {
		return nil
	}
	rows, err := c.v.t.MultiGet(c.ctx, keys)
	if err != nil {
		return err
	}
	for i, b := range rows {
		n := c.pieces[string(keys[i])]
		if len(b) != piecesBytes || b[0] != valuePieces || binary.BigEndian.Uint32(b[1:]) != n {
			return c.v.s.corrupt(keys[i], fmt.Sprint("its value is not in the ", n, " pieces that are listed"))
		}
	}
	return nil
}

// own verifies the store's own rows.
func (c *check) own(page []kv.Pair) error {
	for _, p := range page {
		if err := c.row(p); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) row(p kv.Pair) error {
	unknown := damaged(fmt.Sprintf("%x", p.Key), "no such row is written")
	if len(p.Key) < 2 {
		return unknown
	}
	switch rest := p.Key[2:]; p.Key[1] {
	case tagState:
		if len(rest) > 0 {
			return unknown
		}
		return nil // read with the view
	case tagLarge:
		return nil // read before
	case tagStaged:
		_, err := stagedValue(p.Value)
		return err
	case tagPiece:
		key, n, ok := pieceOf(rest)
		switch {
		case !ok:
			return unknown
		case c.v.rec.staged:
			return nil
		case c.pieces[string(key)] == 0:
			return c.v.s.corrupt(key, fmt.Sprintf("piece %d, which is not listed, is there", n))
		}
		c.pieces[string(key)]--
		return nil
	case tagLog:
		return c.log(rest, p.Value)
	}
	return unknown
}

// log verifies the row of a commit. Those of the last commits are there without a gap.
func (c *check) log(number, value []byte) error {
	if len(number) != 8 {
		return damaged(fmt.Sprintf("%x", number), "no commit has such a number")
	}
	commit := binary.BigEndian.Uint64(number)
	rec := &c.v.rec
	name := fmt.Sprint("log of commit ", commit)
	what, ok := decodeChanged(value)
	switch {
	case commit > c.logged+1 && commit <= rec.commit:
		return damaged(fmt.Sprint("log of commit ", c.logged+1), "the row is missing")
	case commit != c.logged+1 || commit > rec.commit:
		return damaged(name, fmt.Sprint("there is no such row after commit ", rec.commit))
	case !ok:
		return damaged(name, "the row cannot be read")
	case commit == rec.commit && what.by != rec.by:
		return damaged(name, "the row is of another writer than the state record says")
	}
	c.logged = commit
	return nil
}

// pieceOf reads key and number back from what follows the tag in the key of a piece.
func pieceOf(b []byte) (key []byte, n uint32, ok bool) {
	end := len(b) - 6
	if end < 0 || b[end] != 0 || b[end+1] != 0 {
		return nil, 0, false
	}
	for i := 0; i < end; i++ {
		if key = append(key, b[i]); b[i] == 0 {
			if i++; i == end || b[i] != 0xFF {
				return nil, 0, false
			}
		}
	}
	return key, binary.BigEndian.Uint32(b[end+2:]), true
}
