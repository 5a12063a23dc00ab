package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/ragdb/ragdb/engine/internal/schema"
	"github.com/ragdb/ragdb/internal/layout"
)

// sampleProps has a property of every kind.
func sampleProps() []prop {
	return []prop{
		{1, Value{}}, {2, Bool(true)}, {3, Int(-1 << 60)}, {4, Float(2.5)}, {5, String("text")},
		{6, Time(time.Unix(0, 77))}, {7, Bytes([]byte{0, 255})}, {8, Strings("a", "", "b")},
		{9, Value{kind: KindText, num: 4000}}, {10, Point{SRID: 7203, X: 1}.Value()},
		{11, Value{kind: KindList, str: "\x01\x00\x01"}},
	}
}

// FuzzDecodeRecord and its like: whatever the bytes are, decoding returns an
// error or something that encodes to what decodes to itself; it never panics.
func FuzzDecodeRecord(f *testing.F) {
	b := flatbuffers.NewBuilder(64)
	f.Add((&record{ntype: 7, epoch: 9, flags: flagDerived, key: "k", props: sampleProps()}).encode(b))
	f.Add((&record{ntype: 1, key: "k"}).encode(b))
	f.Add([]byte{})
	f.Add([]byte{255, 255, 255, 127, 0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := decodeRecord(in, true)
		if err != nil {
			return
		}
		again, err := decodeRecord(r.encode(flatbuffers.NewBuilder(64)), true)
		if err != nil {
			t.Fatal(err)
		}
		if again.ntype != r.ntype || again.epoch != r.epoch || again.flags != r.flags || again.key != r.key || len(again.props) != len(r.props) {
			t.Fatalf("%+v is not %+v", again, r)
		}
		for i := range r.props {
			// NaN cannot be stored; its bits need not survive.
			if p, q := r.props[i], again.props[i]; p.id != q.id || !p.value.Equal(q.value) && p.value.flt == p.value.flt {
				t.Fatalf("property %+v is not %+v", q, p)
			}
		}
		if short, err := decodeRecord(in, false); err != nil || short.key != r.key || short.props != nil {
			t.Fatalf("without properties: %+v %v", short, err)
		}
	})
}

func FuzzDecodeEdge(f *testing.F) {
	f.Add(encodeEdge(flatbuffers.NewBuilder(64), 3, sampleProps()))
	f.Add(encodeEdge(flatbuffers.NewBuilder(64), 3, nil))
	f.Fuzz(func(t *testing.T, in []byte) {
		props, err := decodeEdge(in)
		if err != nil {
			return
		}
		again, err := decodeEdge(encodeEdge(flatbuffers.NewBuilder(64), 1, props))
		if err != nil || len(again) != len(props) {
			t.Fatalf("%v is not %v, %v", again, props, err)
		}
	})
}

// FuzzVerifyNodeBlock: a block of nodes that is taken for sound has values that
// properties have.
func FuzzVerifyNodeBlock(f *testing.F) {
	var m nodeBlockMaker
	f.Add(m.finish(nil))
	for row := range blockIDs {
		m.set(row, []prop{{1, Int(int64(row))}, {2, String("city")}, {3, String(strings.Repeat("x", row))}})
	}
	m.set(7, sampleProps()[1:])
	f.Add(m.finish(nil))
	key := layout.NodeBlock(1, 0)
	f.Fuzz(func(t *testing.T, in []byte) {
		if verifyNodeBlock(key, in) != nil {
			return
		}
		b := nodeBlock{value: in, stale: map[int]struct{}{}}
		if err := b.decode(); err != nil {
			t.Fatal(err)
		}
		var v Vector
		for _, id := range b.columns.IDs() {
			if err := b.column(id, &v); err != nil {
				t.Fatal(err)
			}
			for row := range blockIDs {
				x := v.At(row)
				if v.Has(row) == x.IsNull() || x.kind != KindFloat && x.whole() != nil {
					t.Fatalf("property %d of row %d: %v", id, row, x)
				}
			}
		}
	})
}

// sampleBlock is a block of three edges, the key and its bytes.
func sampleBlock() (key, value []byte) {
	w := newEdgeBlockWriter(1, 4, 3, func(k, v []byte) error { key, value = k, v; return nil })
	_ = w.add(Edge{From: 1, To: 2}, sampleProps()[1:])
	_ = w.add(Edge{From: 1, To: 2, N: 1}, []prop{{3, String("of another kind")}})
	_ = w.add(Edge{From: 3, To: 1}, sampleProps()[4:6])
	return key, value
}

// FuzzDecodeEdgeBlock: a block that is read is written as one that has the same edges.
func FuzzDecodeEdgeBlock(f *testing.F) {
	_, sample := sampleBlock()
	f.Add(sample)
	f.Fuzz(func(t *testing.T, in []byte) {
		var b, again edgeBlock
		if b.read(4, in) != nil || b.decode() != nil {
			return
		}
		var out []byte
		w := newEdgeBlockWriter(1, 4, b.rows()+1, func(_, v []byte) error { out = v; return nil })
		for i := range b.rows() {
			if w.bytes >= blockBytes/2 {
				return
			}
			if err := w.add(b.edge(i), b.props(i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.flush(), again.read(4, out), again.decode()); err != nil {
			t.Fatal(err)
		}
		for i := range b.rows() {
			if b.edge(i) != again.edge(i) || !slices.EqualFunc(b.props(i), again.props(i), func(p, q prop) bool { return p.id == q.id && p.value.Equal(q.value) }) {
				t.Fatalf("row %d: %v %v, want %v %v", i, again.edge(i), again.props(i), b.edge(i), b.props(i))
			}
		}
	})
}

func FuzzDecodeContribution(f *testing.F) {
	b := flatbuffers.NewBuilder(64)
	f.Add(encodeContribution(b, &Contribution{Weight: 0.1, Count: 2, Label: "l", Texts: []string{"a", "b"}}))
	f.Add(encodeContribution(b, &Contribution{}))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := decodeContribution(in)
		if err != nil {
			return
		}
		again, err := decodeContribution(encodeContribution(flatbuffers.NewBuilder(64), &c))
		if err != nil {
			t.Fatal(err)
		}
		if c.Weight != c.Weight {
			again.Weight, c.Weight = 0, 0 // NaN equals nothing
		}
		if !reflect.DeepEqual(again, c) {
			t.Fatalf("%+v is not %+v", again, c)
		}
	})
}

func FuzzDecodeCatalogEntry(f *testing.F) {
	b := flatbuffers.NewBuilder(64)
	f.Add(encodeCatalogEntry(b, &catalogEntry{name: "n", epoch: 4, flags: 1, options: []byte{1, 2}}))
	f.Add(encodeCatalogEntry(b, &catalogEntry{name: "n"}))
	f.Fuzz(func(t *testing.T, in []byte) {
		e, err := decodeCatalogEntry(in)
		if err != nil {
			return
		}
		again, err := decodeCatalogEntry(encodeCatalogEntry(flatbuffers.NewBuilder(64), &e))
		if err != nil || again.name != e.name || again.epoch != e.epoch || again.flags != e.flags || !bytes.Equal(again.options, e.options) {
			t.Fatalf("%+v is not %+v, %v", again, e, err)
		}
	})
}

func FuzzDecodeSpace(f *testing.F) {
	b := flatbuffers.NewBuilder(64)
	s := space{SpaceOptions: SpaceOptions{Dim: 3, Model: "m", Metric: 2, Element: 1, Seed: 1 << 63, M: 16, EfConstruction: 200}, name: "n", generation: 5}
	f.Add(s.encode(b, 9))
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := decodeSpace(in)
		if err != nil {
			return
		}
		again, err := decodeSpace(s.encode(flatbuffers.NewBuilder(64), 1))
		if err != nil || again != s {
			t.Fatalf("%+v is not %+v, %v", again, s, err)
		}
	})
}

func FuzzDecodeTextPart(f *testing.F) {
	enc, dec, err := newZstd()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(encodeTextPart(enc, "short"))
	f.Add(encodeTextPart(enc, strings.Repeat("long ", 1000)))
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := appendTextPart(dec, nil, in)
		if err == nil && len(out) > max(textPart, len(in)) {
			t.Fatalf("a part of %d bytes from %d", len(out), len(in))
		}
	})
}

// FuzzValueJSON reads any JSON as a value; one that can be stored is written
// and read back the same.
func FuzzValueJSON(f *testing.F) {
	for _, p := range sampleProps() {
		b, err := json.Marshal(p.value)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"time":"0001-01-01T00:00:00Z"}`))
	f.Add([]byte(`-0.0`))
	f.Add([]byte(`1e999`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var v Value
		if json.Unmarshal(in, &v) != nil || checkValue("p", v) != nil {
			return
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var again Value
		if err := json.Unmarshal(b, &again); err != nil || !again.Equal(v) {
			t.Fatalf("%s: %#v is not %#v, %v", b, again, v, err)
		}
	})
}

// FuzzImport reads anything as an export into a database in memory.
func FuzzImport(f *testing.F) {
	const head = `{"ragdb":"export","v":1,"canonical":true}` + "\n" + `{"graph":{"name":"g"}}` + "\n" + `{"node_type":{"name":"t"}}` + "\n"
	f.Add([]byte(head + `{"node":{"ref":["t","k"],"props":{"x":{"bytes":"AA=="}}}}` + "\n" + `{"end":{"lines":4}}`))
	f.Add([]byte(head + `{"edge_type":{"name":"e","directed":false}}` + "\n" + `{"node":{"ref":["t",{"bytes":"/w=="}],"derived":true}}` + "\n" +
		`{"edge":{"from":["t",{"bytes":"/w=="}],"to":["t",{"bytes":"/w=="}],"type":"e","weight":1}}` + "\n"))
	f.Add([]byte(head + `{"field":{"name":"f","analyzer":"a","positions":true}}` + "\n" + `{"node":{"ref":["t","k"]}}` + "\n" +
		`{"terms":{"field":"f","ref":["t","k"],"terms":[{"t":"x","at":[3,1]},{"t":"y","n":2}]}}` + "\n"))
	f.Add([]byte(head + `{"space":{"name":"s","dim":1,"model":"m","metric":0,"kind":0}}` + "\n" + `{"node":{"ref":["t","k"]}}` + "\n" +
		`{"vector":{"space":"s","ref":["t","k"],"f32":"AACAPw=="}}` + "\n" + `{"entry":{"bucket":"b","key":"","value":"AA=="}}` + "\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		db, err := Open(t.Context(), Memory, &Options{MaxTxBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		ns, err := db.Namespace(t.Context(), "n")
		if err != nil {
			t.Fatal(err)
		}
		failed := ns.Import(t.Context(), bytes.NewReader(in))
		var line *LineError
		if failed != nil && !errors.As(failed, &line) && !errors.Is(failed, ErrTxTooLarge) {
			t.Fatalf("an error of no line: %v", failed)
		}
		// Whatever was taken makes a sound database that can be exported, but
		// for derived nodes whose sources were cut off.
		for found, err := range db.Check(t.Context(), CheckOptions{Full: true}) {
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(found.What, "a derived node without a source") &&
				!strings.Contains(found.What, "its sources add up to") {
				t.Fatal(found)
			}
		}
		err = db.View(t.Context(), func(s *Snapshot) error {
			return s.Export(t.Context(), "n", new(bytes.Buffer), ExportOptions{Canonical: true})
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestDecodeRefusesSharedBytes reads a record whose list names one string a
// thousand times: small to store, large to decode.
func TestDecodeRefusesSharedBytes(t *testing.T) {
	b := flatbuffers.NewBuilder(64)
	long := b.CreateString(strings.Repeat("x", 4000))
	offs := make([]flatbuffers.UOffsetT, 1000)
	for i := range offs {
		offs[i] = long
	}
	list := b.CreateVectorOfTables(offs)
	schema.PropertyStart(b)
	schema.PropertyAddKind(b, uint8(KindStrings))
	schema.PropertyAddList(b, list)
	p := schema.PropertyEnd(b)
	props := b.CreateVectorOfTables([]flatbuffers.UOffsetT{p})
	schema.NodeStart(b)
	schema.NodeAddProps(b, props)
	b.Finish(schema.NodeEnd(b))
	if _, err := decodeRecord(b.FinishedBytes(), true); err == nil {
		t.Errorf("%d bytes stand for 4 MB", len(b.FinishedBytes()))
	}
	b.Reset()
	long = b.CreateString(strings.Repeat("x", 4000))
	for i := range offs {
		offs[i] = long
	}
	list = b.CreateVectorOfTables(offs)
	schema.ContributionStart(b)
	schema.ContributionAddTexts(b, list)
	b.Finish(schema.ContributionEnd(b))
	if _, err := decodeContribution(b.FinishedBytes()); err == nil {
		t.Errorf("%d bytes stand for 4 MB", len(b.FinishedBytes()))
	}
}

// TestDecodersRefuse cuts what they are given short at every byte.
func TestDecodersRefuse(t *testing.T) {
	blockKey, block := sampleBlock()
	b := flatbuffers.NewBuilder(64)
	s := space{name: "n", SpaceOptions: SpaceOptions{Model: "m"}}
	for name, c := range map[string]struct {
		whole  []byte
		decode func(b []byte) error
	}{
		"record":       {(&record{key: "k", props: sampleProps()}).encode(b), func(b []byte) error { _, err := decodeRecord(b, true); return err }},
		"edge":         {encodeEdge(b, 1, sampleProps()), func(b []byte) error { _, err := decodeEdge(b); return err }},
		"edge block":   {block, func(b []byte) error { return decodeEdgeBlock(blockKey, b) }},
		"contribution": {encodeContribution(b, &Contribution{Label: "l", Texts: []string{"t"}}), func(b []byte) error { _, err := decodeContribution(b); return err }},
		"catalog":      {encodeCatalogEntry(b, &catalogEntry{name: "n", options: []byte{1}}), func(b []byte) error { _, err := decodeCatalogEntry(b); return err }},
		"space":        {s.encode(b, 1), func(b []byte) error { _, err := decodeSpace(b); return err }},
		"directory":    {directoryEntry{1, 2}.encode(), func(b []byte) error { _, err := decodeDirectory(layout.Directory("n", "g"), b); return err }},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.decode(c.whole); err != nil {
				t.Fatal(err)
			}
			refused := 0
			for n := range c.whole {
				if c.decode(c.whole[:n]) != nil {
					refused++
				}
			}
			if refused == 0 {
				t.Error("no part of it was refused")
			}
		})
	}
}
