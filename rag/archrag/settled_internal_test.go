package archrag

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestSettledFailures says that a stage with items that were set aside is looked through
// although nothing changed, and no other; and that a record of another model holds for
// none.
func TestSettledFailures(t *testing.T) {
	t.Parallel()
	const spec = "archrag:cap=6,min_clusters=2,glean=0"
	c := ragtest.Open(t, method.Methods{Name: Open})
	c.Use(ragtest.Fixed)
	c.Index(t, spec, ragtest.Docs(94, 5)...)
	sys := c.System(t, spec)
	m := c.OpenModels(t)
	s := &system{Identity: sys.Identity, c: c.Docs(), g: sys.Graph()}
	var r record
	// looked returns how many items the stages have that have any.
	looked := func() map[string]int {
		t.Helper()
		out := map[string]int{}
		err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
			for _, st := range sys.Stages(m) {
				if st.Growth != nil || st.Local != nil {
					continue
				}
				for _, err := range st.Items(t.Context(), snap) {
					if err != nil {
						return err
					}
					out[st.Name()]++
				}
			}
			var err error
			r, err = s.readRecord(snap)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if items := looked(); len(items) > 0 || r.Done["reports 1"] == 0 {
		t.Fatalf("%v are looked through, %+v", items, r)
	}
	put := func() {
		t.Helper()
		err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			bucket, err := tx.Graph(s.g).MakeBucket(bucketSettled)
			if err != nil {
				return err
			}
			return encoded.Put(bucket, settledKey, r)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	r.Failed = []string{"reports 1"}
	put()
	if items := looked(); len(items) != 1 || items["reports 1"] != r.Done["reports 1"] {
		t.Errorf("%v are looked through, want the reports alone", items)
	}
	r.State += " of another model"
	put()
	if items := looked(); items["level 1"] == 0 || items["reports 1"] == 0 || items["settle"] != 1 {
		t.Errorf("%v are looked through after a change", items)
	}
}
