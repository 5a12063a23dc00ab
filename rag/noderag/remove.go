package noderag

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/noderag/schema"
)

// forget takes back, for [method.System.Changed], the attributes and elements that were
// made from chunks that leave. The next run makes them from what is left.
func (s *system) forget(v *engine.TxView, chunks []engine.NodeID) error {
	for _, id := range chunks {
		if err := s.dropSummaries(v, id); err != nil {
			return err
		}
	}
	return nil
}

// dropSummaries removes the attributes and elements that rest on a chunk, and
// the marks of the entities that it names: what is said around them changes.
func (s *system) dropSummaries(v *engine.TxView, chunk engine.NodeID) error {
	var gone []engine.NodeID
	for t, err := range v.ContributedBy(chunk) {
		if err != nil {
			return err
		}
		if t.Type != 0 {
			break
		}
		n, err := v.Node(t.Node)
		if err != nil {
			return err
		}
		switch v.NodeTypeName(n.Type) {
		case schema.Attribute, schema.Element:
			gone = append(gone, t.Node)
		case schema.Entity:
			ok, err := v.Bucket(schema.BucketImportant).Has(schema.IDKey(t.Node))
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if err := method.ForgetJobs(v, attributeItem(t.Node)); err != nil {
				return err
			}
		}
	}
	for _, id := range gone {
		if err := s.dropSummary(v, id); err != nil {
			return err
		}
	}
	return nil
}

// dropSummary removes an attribute or element, and the mark of the work that
// made it. An overview of no other element goes with it.
func (s *system) dropSummary(v *engine.TxView, id engine.NodeID) error {
	n, err := v.Node(id)
	if err != nil {
		return err
	}
	if v.NodeTypeName(n.Type) == schema.Element {
		number, ok, err := communityOf(v, id)
		if err != nil {
			return err
		}
		if ok {
			if err := method.ForgetJobs(v, communityItem(number)); err != nil {
				return err
			}
		}
		return s.dropNode(v, id)
	}
	entities, err := graph.Neighbors(v, id, schema.Describes, engine.Both)
	if err != nil {
		return err
	}
	for _, e := range entities {
		if err := method.ForgetJobs(v, attributeItem(e)); err != nil {
			return err
		}
	}
	return s.dropNode(v, id)
}

// dropElements removes the elements of a community.
func (s *system) dropElements(v *engine.TxView, community uint64) error {
	have, err := elementsOf(v, community)
	if err != nil {
		return err
	}
	for _, id := range have {
		if err := s.dropNode(v, id); err != nil {
			return err
		}
	}
	return nil
}

// dropNode removes an attribute or element with the mark of its vector.
func (s *system) dropNode(v *engine.TxView, id engine.NodeID) error {
	if err := method.ForgetJobs(v, vectorItem(id)); err != nil {
		return err
	}
	b, err := v.MakeBucket(schema.BucketElements)
	if err != nil {
		return err
	}
	number, ok, err := communityOf(v, id)
	if err != nil {
		return err
	}
	if ok {
		if err := b.Delete(append(schema.OfCommunity(number), schema.IDKey(id)...)); err != nil {
			return err
		}
		if err := b.Delete(schema.OfElement(id)); err != nil {
			return err
		}
	}
	_, err = v.DeleteNode(id)
	return err
}
