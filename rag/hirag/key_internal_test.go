package hirag

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestCommunityKey: a name is the level and a digest of the members' keys in order. What
// came after a whole clustering has another name than what that found, and so have
// communities of another level or other members.
func TestCommunityKey(t *testing.T) {
	t.Parallel()
	keys := []uint64{11, 22, 33}
	c := branch{level: 2, members: []uint32{0, 2}}
	var members []byte
	for _, k := range []uint64{11, 33} {
		members = binary.BigEndian.AppendUint64(members, k)
	}
	found, since := communityKey(c, keys, true), communityKey(c, keys, false)
	if want := communityName(2, members); found != want || !strings.HasPrefix(found, "2/") || len(found) != 2+24 {
		t.Errorf("found: %s, want %s", found, want)
	}
	if want := communityName(2, append(members, "since"...)); since != want {
		t.Errorf("since: %s, want %s", since, want)
	}
	seen := map[string]bool{found: true}
	for _, other := range []branch{c, {level: 1, members: c.members}, {level: 2, members: []uint32{0, 1}}, {level: 2, members: []uint32{0, 1, 2}}} {
		key := communityKey(other, keys, false)
		if seen[key] {
			t.Errorf("%+v is called %s, too", other, key)
		}
		seen[key] = true
	}
}

// TestFirstIsWhole: what is indexed first is clustered as a whole, and its communities
// have the names of that clustering.
func TestFirstIsWhole(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	c.Use(ragtest.Fixed)
	base := func() (out *clustering) {
		t.Helper()
		c.View(t, Name, func(v *engine.View) (err error) {
			out, err = readBase(v)
			return err
		})
		return out
	}
	if b := base(); b != nil {
		t.Errorf("before the first document there is a clustering: %+v", b)
	}
	c.Index(t, Name, ragtest.Docs(78, 8)...)
	names := base().keys()
	c.View(t, Name, func(v *engine.View) error {
		n := 0
		for c, err := range graph.ReadAll(v, typeCommunity) {
			if err != nil {
				return err
			}
			if n++; !slices.Contains(names, c.Key) {
				t.Errorf("the community %s is none of the whole clustering's", c.Key)
			}
		}
		if n == 0 {
			t.Error("there are no communities")
		}
		entity, _ := v.NodeType(typeEntity)
		summaries := 0
		for e, err := range v.Bucket(bucketPlan).Prefix([]byte("community/")) {
			if err != nil {
				return err
			}
			var p plannedCommunity
			if err := json.Unmarshal(e.Value, &p); err != nil {
				return err
			}
			for _, id := range p.Members {
				member, err := v.Node(id)
				if err != nil {
					return err
				}
				if slices.Contains(p.Summaries, id) != (member.Type != entity) {
					t.Errorf("of %s: %s is a summary: %v", p.Key, member.Key, member.Type != entity)
				}
			}
			summaries += len(p.Summaries)
		}
		if summaries == 0 {
			t.Error("no community has a summary")
		}
		return nil
	})
}
