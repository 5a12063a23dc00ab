package ketrag

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/varint"
	"github.com/ragdb/ragdb/rag/method"
)

// Of more than [exactChunks] chunks three things are kept, so that a run looks at those
// that came, and at those which were near to one that has gone:
//
//   - the state: among which chunks the edges are the nearest;
//   - the chunks that lost an edge since, which a removal notes;
//   - a floor for each chunk: the words that another must share with it to be among its
//     nearest by words. So a new chunk finds by counting to whom it is the nearest now.

// nearState tells among which chunks the stored edges are the nearest.
type nearState struct {
	guard [32]byte      // of the graph, the model and K
	last  engine.NodeID // the last chunk
	count uint64        // the number of chunks, less those that have gone
}

const nearStateSize = 48

var errNear = errors.New("malformed state of near chunks")

func (n nearState) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(append(dst, n.guard[:]...), uint64(n.last))
	return binary.BigEndian.AppendUint64(dst, n.count)
}

func readNearState(b []byte) (n nearState, ok bool) {
	if len(b) != nearStateSize {
		return n, false
	}
	return nearState{[32]byte(b), engine.NodeID(binary.BigEndian.Uint64(b[32:])), binary.BigEndian.Uint64(b[40:])}, true
}

// looks are the chunks that a run looks at.
type looks struct {
	all    bool
	places []int         // of those chunks, ascending
	last   engine.NodeID // without all: the last chunk that there was
	floors []int32       // without all: by place
}

// has reports whether a chunk is looked at.
func (l *looks) has(i int) bool {
	_, ok := slices.BinarySearch(l.places, i)
	return ok
}

// everything returns all of so many chunks.
func everything(n int) *looks {
	l := &looks{all: true, places: make([]int, n)}
	for i := range l.places {
		l.places[i] = i
	}
	return l
}

// guard returns the state before all chunks.
func (st *nearStage) guard(ctx context.Context, s *engine.Snapshot) (nearState, error) {
	id, err := s.UUID(ctx)
	graph := binary.BigEndian.AppendUint32(nil, uint32(st.s.g.ID()))
	return nearState{guard: method.Digest("near", string(id[:]), string(graph), st.model.Model, fmt.Sprint(st.s.p.K))}, err
}

// among returns the state when the edges are those of some chunks.
func (n nearState) among(ids []engine.NodeID) nearState {
	n.last, n.count = ids[len(ids)-1], uint64(len(ids))
	return n
}

// toLook returns what a run looks at.
func (st *nearStage) toLook(ctx context.Context, s *engine.Snapshot, v *engine.View, ids []engine.NodeID) (*looks, error) {
	if len(ids) <= st.exact {
		return everything(len(ids)), nil
	}
	guard, err := st.guard(ctx, s)
	if err != nil {
		return nil, err
	}
	b := v.Bucket(bucketNear)
	raw, err := b.Get([]byte(keyAmong), nil)
	if err != nil && !graph.IsMissing(err) {
		return nil, err
	}
	was, ok := readNearState(raw)
	first, found := slices.BinarySearch(ids, was.last)
	if found {
		first++
	}
	if !ok || was.guard != guard.guard || was.count != uint64(first) {
		return everything(len(ids)), nil
	}
	l := &looks{last: was.last}
	for e, err := range b.Prefix([]byte(keyLost)) {
		if err != nil {
			return nil, err
		}
		id, ok := lostChunk(e.Key)
		if i, has := slices.BinarySearch(ids, id); ok && has && i < first {
			l.places = append(l.places, i)
		}
	}
	for i := first; i < len(ids); i++ {
		l.places = append(l.places, i)
	}
	l.floors, err = readFloors(b, ids)
	return l, err
}

func lostKey(id engine.NodeID) []byte {
	return binary.BigEndian.AppendUint64([]byte(keyLost), uint64(id))
}

func lostChunk(key []byte) (engine.NodeID, bool) {
	rest, ok := bytes.CutPrefix(key, []byte(keyLost))
	if !ok || len(rest) != 8 {
		return 0, false
	}
	return engine.NodeID(binary.BigEndian.Uint64(rest)), true
}

// lose notes, before some chunks go, which chunks lose an edge.
func (s *system) lose(v *engine.TxView, gone []engine.NodeID) error {
	raw, err := v.Bucket(bucketNear).Get([]byte(keyAmong), nil)
	if graph.IsMissing(err) {
		return nil // the next run looks at all
	}
	if err != nil {
		return err
	}
	b, err := v.MakeBucket(bucketNear)
	if err != nil {
		return err
	}
	was, ok := readNearState(raw)
	if !ok {
		return b.Delete([]byte(keyAmong))
	}
	f := engine.EdgeFilter{Types: s.nearTypes(v), Direction: engine.In}
	for _, id := range gone {
		if id > was.last {
			continue
		}
		was.count--
		if len(f.Types) == 0 {
			continue
		}
		from, err := v.NeighborSet(id, f)
		if err != nil {
			return err
		}
		for it := from.Iterator(); it.HasNext(); {
			if err := b.Set(lostKey(engine.NodeID(it.Next())), nil); err != nil {
				return err
			}
		}
	}
	return b.Set([]byte(keyAmong), was.append(nil))
}

// setState writes the state and the floors of a result.
func (st *nearStage) setState(v *engine.TxView, b engine.BucketWriter, r *nearResult) error {
	if err := b.DeletePrefix([]byte(keyLost)); err != nil {
		return err
	}
	if len(r.State) == 0 {
		return errors.Join(b.Delete([]byte(keyAmong)), b.DeletePrefix([]byte(keyFloor)))
	}
	if r.All {
		if err := b.DeletePrefix([]byte(keyFloor)); err != nil {
			return err
		}
	}
	if err := writeFloors(v, b, r.Floors); err != nil {
		return err
	}
	return b.Set([]byte(keyAmong), r.State)
}

// floor is how many words a chunk must share with another to be among its nearest.
type floor struct {
	ID    engine.NodeID
	Words int32
}

// floorOf returns the floor of a chunk with some of k edges.
func floorOf(edges []near, k int) int32 {
	if k == 0 || len(edges) < k {
		return 0
	}
	return int32(edges[k-1].sim)
}

// floorBlock is how many ids a block of floors has, of which few are chunks.
const floorBlock = 1 << 13

func floorKey(block uint64) []byte { return binary.BigEndian.AppendUint64([]byte(keyFloor), block) }

// appendFloors appends a block: of each chunk the distance from the one before, and the
// floor.
func appendFloors(dst []byte, block uint64, list []floor) []byte {
	last := block * floorBlock
	for _, f := range list {
		dst = binary.AppendUvarint(dst, uint64(f.ID)-last)
		dst = binary.AppendUvarint(dst, uint64(f.Words))
		last = uint64(f.ID)
	}
	return dst
}

func parseFloors(key, value []byte) (block uint64, list []floor, err error) {
	rest, ok := bytes.CutPrefix(key, []byte(keyFloor))
	if !ok || len(rest) != 8 {
		return 0, nil, errNear
	}
	block = binary.BigEndian.Uint64(rest)
	if block >= 1<<32/floorBlock {
		return 0, nil, errNear
	}
	at, end := block*floorBlock, (block+1)*floorBlock
	for len(value) > 0 {
		d, rest, ok1 := varint.Uvarint(value)
		n, rest, ok2 := varint.Uvarint(rest)
		if at += d; !ok1 || !ok2 || d >= floorBlock || at >= end || d == 0 && len(list) > 0 || n >= 1<<31 {
			return 0, nil, errNear
		}
		list, value = append(list, floor{engine.NodeID(at), int32(n)}), rest
	}
	return block, list, nil
}

// readFloors returns the floors of chunks; one that has none takes any.
func readFloors(b engine.Bucket, ids []engine.NodeID) ([]int32, error) {
	out := make([]int32, len(ids))
	i := 0
	for e, err := range b.Prefix([]byte(keyFloor)) {
		if err != nil {
			return nil, err
		}
		_, list, err := parseFloors(e.Key, e.Value)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			for i < len(ids) && ids[i] < f.ID {
				i++
			}
			if i < len(ids) && ids[i] == f.ID {
				out[i] = f.Words
			}
		}
	}
	return out, nil
}

// writeFloors writes floors, which are given by ascending chunks. Those of chunks that
// have gone leave with their block.
func writeFloors(v *engine.TxView, b engine.BucketWriter, list []floor) error {
	live := roaring.New()
	if t, ok := v.NodeType(method.ChunkNodeType); ok {
		var err error
		if live, err = v.Nodes(t); err != nil {
			return err
		}
	}
	for len(list) > 0 {
		block := uint64(list[0].ID) / floorBlock
		n := 1
		for n < len(list) && uint64(list[n].ID)/floorBlock == block {
			n++
		}
		all := map[engine.NodeID]int32{}
		raw, err := b.Get(floorKey(block), nil)
		if err != nil && !graph.IsMissing(err) {
			return err
		}
		_, before, err := parseFloors(floorKey(block), raw)
		if err != nil {
			return err
		}
		for _, f := range append(before, list[:n]...) {
			if live.Contains(uint32(f.ID)) {
				all[f.ID] = f.Words
			}
		}
		list = list[n:]
		now := make([]floor, 0, len(all))
		for id, words := range all {
			now = append(now, floor{id, words})
		}
		slices.SortFunc(now, func(a, b floor) int { return int(int64(a.ID) - int64(b.ID)) })
		if err := b.Set(floorKey(block), appendFloors(nil, block, now)); err != nil {
			return err
		}
	}
	return nil
}
