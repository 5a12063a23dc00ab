package graph

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/method"
)

// ForgetLast removes the marks of the work on the nodes that only some chunks support,
// which leave: the nodes go with them.
func ForgetLast(v *engine.TxView, gone []engine.NodeID) error {
	chunks := roaring.New()
	for _, id := range gone {
		chunks.Add(uint32(id))
	}
	var last []engine.NodeID
	for _, id := range gone {
		for t, err := range v.ContributedBy(id) {
			if err != nil {
				return err
			}
			if t.Type != 0 {
				continue
			}
			left, err := v.Sources(t)
			if err != nil {
				return err
			}
			if left.AndNot(chunks); left.IsEmpty() {
				last = append(last, t.Node)
			}
		}
	}
	for _, id := range last {
		if err := method.ForgetJobs(v, NodeItem(id)); err != nil {
			return err
		}
	}
	return nil
}
