package queue

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// Idle is what is kept of a run that left the stages of a system nothing to do. It
// holds as long as nothing that they look at has changed.
type Idle struct {
	// State identifies all that decides whether there is work.
	State string `json:"state"`
	// Failed are the stages that have items which were set aside.
	Failed []IdleStage `json:"failed,omitempty"`
}

// IdleStage is a stage with items that were set aside.
type IdleStage struct {
	Stage  string `json:"stage"`
	Failed int    `json:"failed"`
}

// bucketIdle holds, in a graph, what is kept of the systems that build it: all -> JSON
// by name of the system. A mark that is forgotten takes it away.
const bucketIdle = "idle"

var keyIdle = []byte("all")

// ReadIdle returns what is kept of a system, the zero value if that is nothing.
func ReadIdle(v engine.Reader, system string) (Idle, error) {
	all := map[string]Idle{}
	// What cannot be read says nothing.
	if _, err := encoded.Get(v.Bucket(bucketIdle), keyIdle, &all); err != nil && !encoded.Malformed(err) {
		return Idle{}, err
	}
	return all[system], nil
}

// SetIdle keeps what a run has left of a system; the zero value is nothing.
func SetIdle(v *engine.TxView, system string, idle Idle) error {
	b, err := v.MakeBucket(bucketIdle)
	if err != nil {
		return err
	}
	all := map[string]Idle{}
	if _, err := encoded.Get(b.Bucket, keyIdle, &all); err != nil && !encoded.Malformed(err) {
		return err
	}
	if delete(all, system); idle.State != "" {
		if all == nil {
			all = map[string]Idle{}
		}
		all[system] = idle
	}
	if len(all) == 0 {
		return b.Delete(keyIdle)
	}
	return encoded.Put(b, keyIdle, all)
}

// forgetIdle has the next run look at the items of all stages of a graph.
func forgetIdle(v *engine.TxView) error {
	if has, err := v.Bucket(bucketIdle).Has(keyIdle); err != nil || !has {
		return err
	}
	b, err := v.MakeBucket(bucketIdle)
	if err != nil {
		return err
	}
	return b.Delete(keyIdle)
}
