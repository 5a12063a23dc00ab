package hirag

import (
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// readKey is the key of what was read for a work item in the bucket of plans.
func readKey(item string) []byte { return []byte("read/" + item) }

// toldPrefix begins the keys of the work items that have read a summary of a cluster.
func toldPrefix(cluster string) []byte { return []byte("told/" + cluster + "/") }

// clusterOf returns the key of the cluster that a summary is of.
func clusterOf(summary string) string {
	layer, rest, _ := strings.Cut(summary, "/")
	part, _, _ := strings.Cut(rest, "/")
	return layer + "/" + part
}

// setRead notes what was read for a work item, and for each cluster of which it was a
// summary that the item tells of it.
func setRead(v *engine.TxView, item string, m material) error {
	if err := forgetRead(v, item); err != nil {
		return err
	}
	b, err := v.MakeBucket(bucketPlan)
	if err != nil {
		return err
	}
	m.Clusters = nil
	for _, id := range m.Firm {
		n, err := v.Node(engine.NodeID(id))
		if err != nil {
			return err
		}
		m.Clusters = append(m.Clusters, clusterOf(n.Key))
	}
	slices.Sort(m.Clusters)
	m.Clusters = slices.Compact(m.Clusters)
	for _, c := range m.Clusters {
		if err := b.Set(append(toldPrefix(c), item...), nil); err != nil {
			return err
		}
	}
	return encoded.Put(b, readKey(item), m)
}

// forgetRead forgets what was read for a work item, which is read again then.
func forgetRead(v *engine.TxView, item string) error {
	b, err := v.MakeBucket(bucketPlan)
	if err != nil {
		return err
	}
	var m material
	if ok, err := encoded.Get(b.Bucket, readKey(item), &m); err != nil || !ok {
		return err
	}
	for _, c := range m.Clusters {
		if err := b.Delete(append(toldPrefix(c), item...)); err != nil {
			return err
		}
	}
	return b.Delete(readKey(item))
}

// toldOf returns the work items that have read a summary of a cluster.
func toldOf(v engine.Reader, cluster string) (items []string, err error) {
	prefix := toldPrefix(cluster)
	for e, err := range v.Bucket(bucketPlan).Prefix(prefix) {
		if err != nil {
			return nil, err
		}
		items = append(items, string(e.Key[len(prefix):]))
	}
	return items, nil
}

// leave takes back what was made of a cluster's summaries, if members leave it: it may
// tell of them, and is not found by the clusters that they go to.
func leave(v *engine.TxView, cluster string) error {
	u := &undoing{v: v, seen: map[engine.NodeID]bool{}}
	if err := u.told(cluster); err != nil {
		return err
	}
	return u.undo()
}

// told notes what was made of a cluster's summaries.
func (u *undoing) told(cluster string) error {
	items, err := toldOf(u.v, cluster)
	if err != nil {
		return err
	}
	for _, item := range items {
		kind, key, _ := strings.Cut(item, ":")
		typ, ok := u.v.NodeType(kind)
		if !ok {
			continue
		}
		id, err := u.v.Lookup(typ, key)
		if graph.IsMissing(err) {
			continue
		}
		if err != nil {
			return err
		}
		if kind == typeCluster {
			err = u.cluster(id)
		} else {
			u.community(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// community notes one whose report goes.
func (u *undoing) community(id engine.NodeID) {
	if !u.seen[id] {
		u.seen[id] = true
		u.communities = append(u.communities, id)
	}
}

// cluster notes one whose summaries go, and what was made of them.
func (u *undoing) cluster(id engine.NodeID) error {
	if u.seen[id] {
		return nil
	}
	u.seen[id] = true
	u.clusters = append(u.clusters, id)
	n, err := u.v.Node(id)
	if err != nil {
		return err
	}
	if err := forgetRead(u.v, clusterItem(n.Key)); err != nil {
		return err
	}
	if err := method.ForgetJobs(u.v, clusterItem(n.Key)); err != nil {
		return err
	}
	of, err := graph.Contributed(u.v, id)
	if err != nil {
		return err
	}
	for _, t := range of {
		if t.Type != 0 {
			continue
		}
		if err := u.node(t.Node); err != nil {
			return err
		}
	}
	return u.told(n.Key)
}
