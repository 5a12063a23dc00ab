package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/temporal"
)

// goldenRules makes nodes without and with several labels, parallel edges, values of
// all kinds, and an index or a constraint of each kind over them.
func goldenRules(t *testing.T, g *engine.Graph) {
	t.Helper()
	day, err := temporal.KindDate.Parse("2024-02-29", nil)
	if err != nil {
		t.Fatal(err)
	}
	at, err := temporal.KindTime.Parse("10:00:00.5+01:00", nil)
	if err != nil {
		t.Fatal(err)
	}
	err = g.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		person, err := v.MakeNodeType("Person")
		if err != nil {
			return err
		}
		pilot, err := v.MakeNodeType("Pilot")
		if err != nil {
			return err
		}
		knows, err := v.MakeEdgeType("KNOWS", true)
		if err != nil {
			return err
		}
		var ids []engine.NodeID
		for i := range 12 {
			ages, err := engine.ListOf([]engine.Value{engine.Int(int64(i)), engine.Int(2)})
			if err != nil {
				return err
			}
			id, _, err := v.PutNode(person, fmt.Sprint("p", i), engine.Props{
				"name": engine.String(fmt.Sprint("Person ", i)), "born": engine.Temporal(day), "wakes": engine.Temporal(at),
				"seen": engine.Time(time.Unix(int64(i), 5)), "home": engine.Point{SRID: 4326, X: float64(i), Y: 48}.Value(),
				"ages": ages, "tall": engine.Float(1.5 + float64(i%3)), "bio": engine.String("The pilot of a red plane."),
			})
			if err != nil {
				return err
			}
			switch i % 4 {
			case 1:
				err = v.SetLabels(id, []engine.TypeID{person, pilot})
			case 3:
				err = v.SetLabels(id, nil)
			}
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		for i, id := range ids[1:] {
			for n := range 1 + i%3 {
				e, err := v.AddParallel(ids[i], id, knows, float32(n+1))
				if err != nil {
					return err
				}
				if err := v.SetEdgeProps(e, engine.Props{"since": engine.Int(int64(1990 + i)), "how": engine.String(fmt.Sprint("way ", n))}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []engine.Rule{
		{Name: "tall people", Kind: engine.RangeIndex, Types: []string{"Person"}, Properties: []string{"tall", "name"}},
		{Name: "pilots by day", Kind: engine.RangeIndex, Types: []string{"Pilot"}, Properties: []string{"born"}},
		{Name: "homes", Kind: engine.RangeIndex, Types: []string{"Person"}, Properties: []string{"home"}},
		{Name: "one name", Kind: engine.Unique, Types: []string{"Person"}, Properties: []string{"name"}},
		{Name: "keys", Kind: engine.UniqueKey, Types: []string{"Pilot"}, Properties: []string{"name", "tall"}},
		{Name: "some name", Kind: engine.NotNull, Types: []string{"Person"}, Properties: []string{"name"}},
		{Name: "text", Kind: engine.OfType, Types: []string{"Person"}, Properties: []string{"name"}, ValueType: "STRING"},
		{Name: "bios", Kind: engine.FulltextIndex, Types: []string{"Person", "Pilot"}, Properties: []string{"bio", "name"}},
		{Name: "since", Kind: engine.RangeIndex, Edges: true, Types: []string{"KNOWS"}, Properties: []string{"since", "how"}},
		{Name: "ways", Kind: engine.FulltextIndex, Edges: true, Types: []string{"KNOWS"}, Properties: []string{"how"}},
		{Name: "known since", Kind: engine.NotNull, Edges: true, Types: []string{"KNOWS"}, Properties: []string{"since"}},
	} {
		if err := g.DB().MakeRule(t.Context(), g, r); err != nil {
			t.Fatal(err)
		}
	}
}
