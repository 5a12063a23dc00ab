package service_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestStored sends documents that cannot be stored, beside some that can: a client that
// deletes its copies as a job tells it to loses none.
func TestStored(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := z.Write(make([]byte, 64<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	const good = "The lamp of Brae is green."
	type doc struct {
		id, text string
		aside    string // in the reason if it is not stored
	}
	var many, manyAside []doc
	for range 150 {
		many = append(many, doc{"twice.md", good, ""})
	}
	for i := range many[1:] {
		many[i+1].aside = "has already"
	}
	manyAside = append(many, doc{"last.pdf", "%PDF-1.4 nothing", "damaged"})
	for _, tt := range []struct {
		name string
		docs []doc
	}{
		{"good", []doc{{"a.md", good, ""}, {"b.txt", good, ""}}},
		{"decompression bomb", []doc{{"bomb.txt.gz", bomb.String(), "expands"}}},
		{"damaged PDF", []doc{{"a.md", good, ""}, {"bad.pdf", "%PDF-1.4 nothing", "damaged"}}},
		{"name of 5,000 bytes", []doc{{strings.Repeat("n", 5000) + ".md", good, "key"}, {"a.md", good, ""}}},
		{"wrong CSV", []doc{{"bad.csv", "one,two\n\"x", "quote"}}},
		{"CSV with a wrong row", []doc{{"rows.csv", "id,text\nr1,The mast of Foula.\nr2,a,b,c\nr3,The keel of Unst.\n", "line 3: has 4 fields"}, {"a.md", good, ""}}},
		{"CSV with an empty row", []doc{{"rows.csv", "id,text\nr1,The mast of Foula.\nr2,\n", "no text"}}},
		{"CSV without rows", []doc{{"rows.csv", "id,text\n", "no text"}, {"a.md", good, ""}}},
		{"JSONL without a good line", []doc{{"rows.jsonl", "{\n", "JSON"}}},
		{"no text", []doc{{"empty.md", "", "no text"}, {"a.md", good, ""}}},
		{"nothing with text", []doc{{"empty.md", " \n", "no text"}}},
		{"Word", []doc{{"letter.docx", "PK\x03\x04\x00\xff\xfe\x00", "docx"}}},
		{"an id twice", []doc{{"a.md", good, ""}, {"a.md", good + " And red.", "has already"}}},
		{"many", manyAside},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, d := newDatabase(t)
			if _, err := d.CreateNamespace(t.Context(), "main"); err != nil {
				t.Fatal(err)
			}
			r := service.JobRequest{Methods: []string{"naive"}}
			var aside []int
			for i, doc := range tt.docs {
				in, err := (&service.Document{ID: doc.id, Content: []byte(doc.text)}).Input()
				if err != nil {
					t.Fatal(err)
				}
				r.Documents = append(r.Documents, in)
				if doc.aside != "" {
					aside = append(aside, i)
				}
			}
			begun, err := d.Start(t.Context(), "main", r)
			if err != nil {
				t.Fatal(err)
			}
			var job service.Job
			for now, err := range d.Watch(t.Context(), "main", begun.ID) {
				if err != nil {
					t.Fatal(err)
				}
				job = now
				if job.Stored && len(aside) > 0 {
					t.Fatalf("%s: stored, and %d are not", job.State, len(aside))
				}
			}
			stored := len(tt.docs) - len(aside)
			if job.Stored != (len(aside) == 0) || job.Documents != len(tt.docs) || job.StoredDocuments != stored || job.SetAsideDocuments != len(aside) {
				t.Errorf("%d of %d stored, %d set aside, stored %t; want %d, %d", job.StoredDocuments, job.Documents, job.SetAsideDocuments, job.Stored, stored, len(aside))
			}
			if (job.Error == nil) != (len(aside) == 0) {
				t.Errorf("the error is %+v", job.Error)
			}
			if want := min(len(aside), 100); len(job.SetAside) != want {
				t.Errorf("%d are told of, want %d", len(job.SetAside), want)
			}
			for i, s := range job.SetAside {
				doc := tt.docs[s.Index]
				if s.Index != aside[i] || !strings.HasPrefix(doc.id, s.ID) && len(doc.id) < 200 || !strings.Contains(s.Reason, doc.aside) || len(s.Reason) > 600 {
					t.Errorf("set aside is %+v; want %d with %q", s, aside[i], doc.aside)
				}
			}
			if b, err := json.Marshal(job); err != nil || len(b) > 100_000 {
				t.Errorf("a job of %d bytes, %v", len(b), err)
			}
			c, err := d.Corpus(t.Context(), "main")
			if err != nil {
				t.Fatal(err)
			}
			for i, doc := range tt.docs {
				if _, err := c.Text(t.Context(), doc.id); !slices.Contains(aside, i) && !strings.HasSuffix(doc.id, "csv") && err != nil {
					t.Errorf("the job does not set document %d aside, and %v", i, err)
				}
			}
		})
	}
}

// TestStoredAtTheEnd ends a process whose job waits with documents, of which one cannot be
// stored: the job tells so, and counts each once.
func TestStoredAtTheEnd(t *testing.T) {
	ctx := t.Context()
	db, err := engine.Open(ctx, engine.Memory, &engine.Options{Encodings: methods.Encodings()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	reached := make(chan struct{}, 8)
	d := service.NewDatabase(service.DatabaseOptions{DB: db, Methods: methods.All(),
		Indexing: func(_ context.Context, c *rag.Corpus) (*rag.Corpus, error) {
			return c.With(rag.Options{Models: func(ctx context.Context, _ *rag.Corpus) (*rag.Models, error) {
				reached <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			}}), nil
		}})
	if _, err := d.CreateNamespace(ctx, "main"); err != nil {
		t.Fatal(err)
	}
	var jobs []*service.Job
	for _, id := range []string{"a", "b"} {
		r := service.JobRequest{Methods: []string{"naive"}}
		for _, doc := range []service.Document{{ID: id + ".md", Text: "The lamp of Brae is green."}, {ID: id + ".pdf", Text: "no"}} {
			in, err := doc.Input()
			if err != nil {
				t.Fatal(err)
			}
			r.Documents = append(r.Documents, in)
		}
		job, err := d.Start(ctx, "main", r)
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, job)
		if id == "a" {
			<-reached
		}
	}
	if first, err := d.Job("main", jobs[0].ID); err != nil || first.Stored || first.StoredDocuments != 1 || first.SetAsideDocuments != 1 {
		t.Errorf("while it runs the first job is %+v, %v", first, err)
	}
	if second, err := d.Job("main", jobs[1].ID); err != nil || second.Stored || second.StoredDocuments != 0 || second.SetAsideDocuments != 0 {
		t.Errorf("while it waits the second job is %+v, %v", second, err)
	}
	d.Close(ctx)
	for i, job := range jobs {
		now, err := d.Job("main", job.ID)
		if err != nil || now.State != service.JobStopped || now.Stored || now.StoredDocuments != 1 || now.SetAsideDocuments != 1 || len(now.SetAside) != 1 || now.SetAside[0].Index != 1 {
			t.Errorf("at the end job %d is %+v, %v", i, now, err)
		}
	}
}
