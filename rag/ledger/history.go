package ledger

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
)

// leastHistory is how many replies of a kind tell what the next will be like.
const leastHistory = 20

// WrittenByKind returns how many tokens models wrote for tasks of each kind, on
// average, where enough replies are kept.
func (l *Ledger) WrittenByKind(ctx context.Context) (map[llm.Kind]float64, error) {
	sum, n := map[llm.Kind]float64{}, map[llm.Kind]int{}
	err := l.db.View(ctx, func(s *engine.Snapshot) error {
		for e, err := range s.Graph(l.base).WithContext(ctx).Bucket(bucketReplies).Scan(nil, nil) {
			if err != nil {
				return err
			}
			var r StoredReply
			if err := json.Unmarshal(e.Value, &r); err != nil {
				return fmt.Errorf("kept reply: %w", err)
			}
			if r.Kind != "" && r.Usage.Calls > 0 {
				sum[r.Kind] += float64(r.Usage.OutTokens)
				n[r.Kind]++
			}
		}
		return nil
	})
	for k := range sum {
		if n[k] < leastHistory {
			delete(sum, k)
			continue
		}
		sum[k] /= float64(n[k])
	}
	return sum, err
}
