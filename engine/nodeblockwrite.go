package engine

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// blockLog makes the blocks of nodes that are added in order of their ids.
type blockLog struct {
	log   recordLog
	maker nodeBlockMaker
	first uint64 // the first block of which all ids are added
	n     uint64 // blocks in the log
	buf   []byte
}

// newBlockLog returns a log for nodes from an id on.
func newBlockLog(next uint64, memory int, temporary spill) blockLog {
	b := blockLog{log: recordLog{limit: memory, spill: temporary}, first: (next + blockIDs - 1) / blockIDs}
	if next == 1 { // no node has the id 0
		b.first = 0
	}
	return b
}

// add adds a node.
func (b *blockLog) add(id NodeID, props []prop) error {
	if uint64(id)/blockIDs < b.first {
		return nil
	}
	row := int(id % blockIDs)
	b.maker.set(row, props)
	if row < blockIDs-1 {
		return nil
	}
	b.n++
	b.buf = b.maker.finish(b.buf[:0])
	return b.log.add(b.buf)
}

// writeNodeBlocks writes the blocks of the load's nodes.
func (l *Loader) writeNodeBlocks(w kv.SortedWriter) error {
	block := l.blocks.first
	return l.blocks.log.each(l.ctx, func(b []byte) error {
		k := layout.NodeBlock(l.v.g, block)
		block++
		return w.Set(k, b)
	})
}

// blockPage is how many blocks are written in one commit.
const blockPage = 64

// blockNodes writes the blocks of nodes that are missing or out of date, of all graphs
// that have a block's worth of ids. It changes nothing that can be read, so it moves
// neither the epoch nor a version. Work goes on beside it.
func (db *DB) blockNodes(ctx context.Context) error {
	graphs, _, err := listGraphs(ctx, db.store, "")
	if err != nil {
		return err
	}
	for i := range graphs {
		st, err := db.graphState(ctx, graphs[i].graph, graphs[i].name)
		if err != nil {
			return err
		}
		for block, more := uint64(0), true; more; block += blockPage {
			if more, err = db.blockSome(ctx, st, block); err != nil {
				return err
			}
		}
	}
	return nil
}

// blockSome writes a page of blocks from one on. more is false if there are none after it.
func (db *DB) blockSome(ctx context.Context, st *graphState, block uint64) (more bool, err error) {
	if err := db.lockWriter(ctx); err != nil {
		return false, err
	}
	defer db.unlockWriter()
	if st.dropped() {
		return false, nil
	}
	end := min(block+blockPage, st.nextNode/blockIDs)
	b := db.store.NewBatch()
	r := reader{ctx: ctx, kv: db.store, g: st.id}
	for ; block < end; block++ {
		if err := r.blockAgain(b, block); err != nil {
			return false, err
		}
	}
	st.columned.Store(st.columned.Load() || b.Bytes() > 0)
	return block < st.nextNode/blockIDs, db.store.Apply(ctx, b, kv.NoSync)
}

// blockAgain writes a block into a batch if it is missing or out of date.
func (r *reader) blockAgain(b kv.Batch, block uint64) error {
	keys := 0
	sound := false // what there is, is the block alone
	for p, err := range scan(r.ctx, r.kv, layout.NodeBlock(r.g, block)) {
		if err != nil {
			return err
		}
		_, node := layout.NodeBlockOf(p.key)
		if keys++; keys > 1 {
			sound = false
			break
		}
		sound = node == 0
	}
	if sound {
		return nil
	}
	value, err := r.makeBlock(block)
	if errors.Is(err, ErrCorrupt) {
		return nil // readers of the records tell
	}
	if err != nil {
		return err
	}
	prefix := layout.NodeBlock(r.g, block)
	if keys > 0 {
		b.DeleteRange(prefix, layout.Next(prefix))
	}
	if value != nil {
		b.Set(prefix, value)
	}
	return nil
}

// makeBlock returns the value of a block from the records of its nodes, nil if it has
// none.
func (r *reader) makeBlock(block uint64) ([]byte, error) {
	var m nodeBlockMaker
	some := false
	for p, err := range scanRange(r.ctx, r.kv, layout.Node(r.g, block*blockIDs), layout.Node(r.g, (block+1)*blockIDs)) {
		if err != nil {
			return nil, err
		}
		rec, err := decodeRecord(p.value, true)
		if err != nil {
			return nil, corrupt(p.key, err)
		}
		m.set(int(layout.NodeID(p.key)%blockIDs), rec.props)
		some = true
	}
	if !some {
		return nil, nil
	}
	return m.finish(nil), nil
}
