package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// indexDocument writes the synthetic document d as a method would: chunks with
// a long and a short text, entities that documents share, relations that
// chunks contribute, edges of the caller's own, vectors and a bucket entry.
func indexDocument(t testing.TB, g *engine.Graph, d int) {
	t.Helper()
	update(t, g, func(v *engine.TxView) {
		ok := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		document := must(t, must2of(v.MakeNodeType("document")), nil)
		chunk := must(t, must2of(v.MakeNodeType("chunk")), nil)
		entity := must(t, must2of(v.MakeNodeType("entity")), nil)
		own := must(t, must2of(v.MakeNodeType(fmt.Sprintf("kind-%d", d))), nil)
		part, err := v.MakeEdgeType("part-of", true)
		ok(err)
		relation, err := v.MakeEdgeType("relation", false)
		ok(err)
		follows, err := v.MakeEdgeType(fmt.Sprintf("follows-%d", d), true)
		ok(err)
		ok(v.MakeIndex("lang"))
		ok(v.MakeSpace("chunk", engine.SpaceOptions{Dim: 3, Model: "m@1"}))
		ok(v.MakeSpace("half", engine.SpaceOptions{Dim: 3, Model: "m@1", Element: vecindex.F16}))
		doc, _, err := v.PutNode(document, fmt.Sprintf("doc/%d.txt", d), engine.Props{
			"title": engine.String(fmt.Sprintf("Document <%d> & more", d)),
			"lang":  engine.String([]string{"en", "de", "en"}[d%3]),
			"at":    engine.Time(time.Date(2025, 1, 1+d, 0, 0, 0, 7, time.UTC)),
			"due":   mustList(t, engine.Temporal(day(t, d)), engine.Temporal(day(t, d+1))),
			"marks": mustList(t, engine.Int(int64(d)), engine.Int(-1)),
			"place": engine.Point{SRID: 4326, X: 15.5, Y: float64(d)}.Value(),
			"raw":   engine.Bytes([]byte{0, byte(d), 0xFF}),
			"tags":  engine.Strings("x", fmt.Sprint(d)),
			"score": engine.Float(float64(d)),
			"n":     engine.Int(int64(d) << 60),
		})
		ok(err)
		var before engine.NodeID
		for c := range 3 {
			id, _, err := v.PutNode(chunk, fmt.Sprintf("doc/%d.txt#%d\xff", d, c), engine.Props{
				"text": engine.String(strings.Repeat(fmt.Sprintf("chunk %d of %d. ", c, d), 40+200*c)),
			})
			ok(err)
			ok(v.AddEdge(id, doc, part, 1))
			ok(v.SetEdgeProps(engine.Edge{From: id, To: doc, Type: part}, engine.Props{"at": engine.Int(int64(c))}))
			if before != 0 {
				ok(v.AddEdge(before, id, follows, 0.25))
			}
			before = id
			ok(v.PutVector("chunk", id, []float32{float32(c + 1), float32(d), 0.5}))
			ok(v.PutVector("half", id, []float32{float32(c + 1), float32(d), 0.3}))
			// Entities e0..e5 are shared by documents, the last is the
			// document's own.
			var found []engine.NodeID
			for _, e := range []int{(d + c) % 6, (d*2 + c + 1) % 6, 10 + d} {
				x, _, err := v.DeriveNode(entity, fmt.Sprintf("e%d", e))
				ok(err)
				found = append(found, x)
				ok(v.Contribute(id, engine.NodeTarget(x), engine.Contribution{
					Count: uint32(c + 1), Label: fmt.Sprintf("E%d", e), Texts: []string{fmt.Sprintf("said in %d", d)},
				}))
			}
			for i, a := range found {
				for _, b := range found[i:] {
					// Weights whose float sums depend on their order.
					w := float32(0.1)*float32(d+1) + 1e-7*float32(c)
					ok(v.Contribute(id, engine.EdgeTarget(b, a, relation), engine.Contribution{Weight: w, Count: 1}))
				}
			}
		}
		_, _, err = v.PutNode(own, "only", nil)
		ok(err)
		w, err := v.MakeBucket("manifest")
		ok(err)
		ok(w.Set(fmt.Appendf(nil, "doc/%d", d), []byte{byte(d), 0}))
		termsOfDocument(t, v, d)
	})
}

// must2of drops the error of a call that the test has no use for telling
// apart: a zero id fails what follows.
func must2of[T any](v T, _ error) T { return v }

// deleteDocument removes what indexDocument wrote, leaving what other
// documents support.
func deleteDocument(t testing.TB, g *engine.Graph, d int) {
	t.Helper()
	update(t, g, func(v *engine.TxView) {
		for _, name := range []struct{ typ, key string }{
			{"chunk", "doc/%d.txt#0\xff"}, {"chunk", "doc/%d.txt#1\xff"}, {"chunk", "doc/%d.txt#2\xff"},
			{"document", "doc/%d.txt"}, {fmt.Sprintf("kind-%d", d), "only"},
		} {
			typ, _ := v.NodeType(name.typ)
			key := name.key
			if strings.Contains(key, "%d") {
				key = fmt.Sprintf(key, d)
			}
			id, err := v.Lookup(typ, key)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := v.DeleteNode(id); err != nil {
				t.Fatal(err)
			}
		}
		w, err := v.MakeBucket("manifest")
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Delete(fmt.Appendf(nil, "doc/%d", d)); err != nil {
			t.Fatal(err)
		}
	})
}

// export returns a namespace's export.
func export(t testing.TB, db *engine.DB, namespace string, o engine.ExportOptions) string {
	t.Helper()
	var buf bytes.Buffer
	err := db.View(context.Background(), func(s *engine.Snapshot) error {
		return s.Export(context.Background(), namespace, &buf, o)
	})
	if err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// sameText fails with the first line in which two texts differ.
func sameText(t testing.TB, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s differs in line %d:\n got %.400s\nwant %.400s", what, i+1, g[i], w[i])
		}
	}
	t.Fatalf("%s has %d lines, want %d", what, len(g), len(w))
}

var canonical = engine.ExportOptions{Canonical: true}

// TestCanonicalExportForgetsHistory indexes three documents in every order,
// deletes each subset, and compares with an index of only what is left.
func TestCanonicalExportForgetsHistory(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		want := map[string]string{} // by the documents that are left
		for mask := range 8 {
			g := graph(t, open(t, o), engine.Base)
			update(t, g, func(v *engine.TxView) {
				if err := v.MakeIndex("lang"); err != nil {
					t.Fatal(err)
				}
			})
			for d := range 3 {
				if mask>>d&1 == 1 {
					indexDocument(t, g, d)
				}
			}
			want[fmt.Sprint(mask)] = export(t, g.DB(), "main", canonical)
		}
		if want["1"] == want["2"] || !strings.Contains(want["7"], `"contribution"`) {
			t.Fatal("the exports hold nothing")
		}
		for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			g := graph(t, open(t, o), engine.Base)
			for _, d := range order {
				indexDocument(t, g, d)
			}
			sameText(t, fmt.Sprintf("order %v", order), export(t, g.DB(), "main", canonical), want["7"])
			mask := 7
			for _, d := range order {
				deleteDocument(t, g, d)
				mask &^= 1 << d
				sameText(t, fmt.Sprintf("order %v, %03b left", order, mask), export(t, g.DB(), "main", canonical), want[fmt.Sprint(mask)])
			}
		}
	})
}

func TestExportImportExport(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		db := open(t, o)
		for _, name := range []string{engine.Base, "noderag", "empty"} {
			g := graph(t, db, name)
			if name == "empty" {
				continue
			}
			for d := range 3 {
				indexDocument(t, g, d)
			}
			deleteDocument(t, g, 1)
		}
		want := export(t, db, "main", canonical)
		for _, full := range []string{want, export(t, db, "main", engine.ExportOptions{})} {
			copied := open(t, o)
			ns, err := copied.Namespace(t.Context(), "other")
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time over what is there
				if err := ns.Import(t.Context(), strings.NewReader(full)); err != nil {
					t.Fatal(err)
				}
				sameText(t, "import", export(t, copied, "other", canonical), want)
			}
			var a, b [32]byte
			if err := db.View(t.Context(), func(s *engine.Snapshot) (err error) {
				a, err = s.Digest(t.Context(), "main", engine.ExportOptions{})
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if err := copied.View(t.Context(), func(s *engine.Snapshot) (err error) {
				b, err = s.Digest(t.Context(), "other", engine.ExportOptions{})
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if a != b || a == [32]byte{} {
				t.Errorf("digests %x and %x", a, b)
			}
		}
	})
}

func TestExportChooses(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		g := graph(t, open(t, o), engine.Base)
		indexDocument(t, g, 0)
		all := export(t, g.DB(), "main", engine.ExportOptions{})
		for _, part := range []string{`"vector":`, `"entry":`, `"epoch":`, `"created":`} {
			if !strings.Contains(all, part) {
				t.Errorf("no %s in the whole export", part)
			}
		}
		some := export(t, g.DB(), "main", engine.ExportOptions{
			Canonical: true,
			SkipSpace: func(name string, o engine.SpaceOptions) bool {
				return (name == "chunk" || name == "half") && o.Dim == 3
			},
			Bucket: func(graph, bucket string) bool { return graph != engine.Base || bucket != "manifest" },
		})
		for _, part := range []string{`"vector":`, `"space":`, `"entry":`, `"epoch":`, `"created":`, `"uuid":`} {
			if strings.Contains(some, part) {
				t.Errorf("%s in an export that leaves it out", part)
			}
		}
		err := g.DB().View(t.Context(), func(s *engine.Snapshot) error {
			return s.Export(t.Context(), "nowhere", &bytes.Buffer{}, canonical)
		})
		if !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("exporting a missing namespace: %v", err)
		}
	})
}

func TestImportRefusesBadLines(t *testing.T) {
	const head = `{"ragdb":"export","v":1,"canonical":true}` + "\n"
	const g = `{"graph":{"name":"g"}}` + "\n" + `{"node_type":{"name":"t"}}` + "\n"
	for name, c := range map[string]struct {
		in   string
		line int
		is   error
	}{
		"empty":            {"", 1, engine.ErrInvalid},
		"not an export":    {"{}\n", 1, engine.ErrInvalid},
		"newer":            {`{"ragdb":"export","v":2,"canonical":true}` + "\n", 1, engine.ErrFormat},
		"no end":           {head + g, 4, engine.ErrInvalid},
		"wrong count":      {head + g + `{"end":{"lines":9}}` + "\n", 4, engine.ErrInvalid},
		"after the end":    {head + g + `{"end":{"lines":3}}` + "\n{}\n", 5, engine.ErrInvalid},
		"no graph":         {head + `{"node_type":{"name":"t"}}` + "\n", 2, engine.ErrInvalid},
		"nothing":          {head + g + "{}\n", 4, engine.ErrInvalid},
		"unknown field":    {head + g + `{"nodes":{}}` + "\n", 4, engine.ErrInvalid},
		"two values":       {head + g + `{"node_type":{"name":"u"}} {}` + "\n", 4, engine.ErrInvalid},
		"not JSON":         {head + g + "node\n", 4, engine.ErrInvalid},
		"short reference":  {head + g + `{"node":{"ref":["t"]}}` + "\n", 4, engine.ErrInvalid},
		"unknown type":     {head + g + `{"node":{"ref":["u","k"]}}` + "\n", 4, engine.ErrInvalid},
		"empty key":        {head + g + `{"node":{"ref":["t",""]}}` + "\n", 4, engine.ErrInvalid},
		"unknown node":     {head + g + `{"edge":{"from":["t","a"],"to":["t","b"],"type":"e","weight":1}}` + "\n", 4, engine.ErrInvalid},
		"bad time":         {head + g + `{"node":{"ref":["t","k"],"props":{"x":{"time":"now"}}}}` + "\n", 4, engine.ErrInvalid},
		"object property":  {head + g + `{"node":{"ref":["t","k"],"props":{"x":{"y":{}}}}}` + "\n", 4, engine.ErrInvalid},
		"deep":             {head + g + `{"node":{"ref":` + strings.Repeat("[", 1<<20) + "\n", 4, engine.ErrInvalid},
		"long":             {head + g + strings.Repeat(" ", 3<<20) + "\n", 4, engine.ErrInvalid},
		"long without end": {head + g + strings.Repeat("x", 3<<20), 4, engine.ErrInvalid},
		"huge dimension":   {head + g + `{"space":{"name":"s","dim":2000000000,"model":"m","metric":0,"kind":0}}` + "\n", 4, engine.ErrInvalid},
		"vector cut":       {head + g + `{"node":{"ref":["t","k"]}}` + "\n" + `{"vector":{"space":"s","ref":["t","k"],"f32":"AAA="}}` + "\n", 5, engine.ErrInvalid},
		"no space":         {head + g + `{"node":{"ref":["t","k"]}}` + "\n" + `{"vector":{"space":"s","ref":["t","k"],"f32":"AAAAAA=="}}` + "\n", 5, engine.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{MaxTxBytes: 2 << 20})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			ns, err := db.Namespace(t.Context(), "main")
			if err != nil {
				t.Fatal(err)
			}
			err = ns.Import(t.Context(), strings.NewReader(c.in))
			var line *engine.LineError
			if !errors.Is(err, c.is) || !errors.As(err, &line) || line.Line != c.line {
				t.Fatalf("%v, want line %d", err, c.line)
			}
		})
	}
}

func BenchmarkExportImport(b *testing.B) {
	db := open(b, &engine.Options{})
	g := graph(b, db, engine.Base)
	for d := range 100 {
		indexDocument(b, g, d)
	}
	text := export(b, db, "main", canonical)
	b.Run("export", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			export(b, db, "main", canonical)
		}
	})
	b.Run("import", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			ns, err := open(b, &engine.Options{}).Namespace(b.Context(), "main")
			if err != nil {
				b.Fatal(err)
			}
			if err := ns.Import(b.Context(), strings.NewReader(text)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
