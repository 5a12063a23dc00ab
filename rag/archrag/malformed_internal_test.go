package archrag

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// TestMalformedReport: a report whose vector ends within a number is not applied.
func TestMalformedReport(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open})
	sys := c.System(t, Name)
	s := &system{Identity: sys.Identity, c: c.Docs(), g: sys.Graph()}
	model := ragtest.Hashes{}.Space()
	st := &reportStage{s: s, n: 1, model: model}
	vec := make([]float32, model.Dim)
	vec[0] = 1
	for cut := range 5 {
		err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(s.g)
			typ, err := v.MakeNodeType(typeCommunity)
			if err != nil {
				return err
			}
			id, _, err := v.PutNode(typ, "1", nil)
			if err != nil {
				return err
			}
			b := encoded.AppendVector(nil, vec)
			r := reported{ID: id, Report: llm.Report{Title: "Ferries", Summary: "They cross."}, Vector: b[:len(b)-cut]}
			raw, err := json.Marshal(r)
			if err != nil {
				return err
			}
			return st.Apply(t.Context(), tx, method.WorkItem{}, raw)
		})
		if cut == 0 && err != nil || cut%4 > 0 && (err == nil || !strings.Contains(err.Error(), "malformed vector")) {
			t.Errorf("%d bytes less: %v", cut, err)
		}
	}
}

// TestDecode: levels and records are read under keys of one byte and as JSON.
func TestDecode(t *testing.T) {
	t.Parallel()
	for name, decode := range map[string]func(key, value []byte) ([]byte, error){"level": decodeLevel, "record": decodeSettled} {
		for _, x := range []struct {
			key, value string
			ok         bool
		}{
			{"a", "{}", true}, {"a", "{", false}, {"", "{}", false}, {"ab", "{}", false}, {"a", "", false},
		} {
			if _, err := decode([]byte(x.key), []byte(x.value)); (err == nil) != x.ok {
				t.Errorf("%s %q under the key %q: %v", name, x.value, x.key, err)
			}
		}
	}
}
