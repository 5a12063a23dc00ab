package service_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestCloseStores ends a process while a job runs and another one waits with documents:
// both are stopped, and no document is lost.
func TestCloseStores(t *testing.T) {
	ctx := t.Context()
	db, err := engine.Open(ctx, engine.Memory, &engine.Options{Encodings: methods.Encodings()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	reached := make(chan struct{}, 8)
	open := func(blocked bool) *service.Database {
		return service.NewDatabase(service.DatabaseOptions{
			DB: db, Methods: methods.All(),
			Questions: func(ctx context.Context, c *rag.Corpus, _ bool) (*rag.Models, error) {
				return c.OpenLocal(ctx, false, rag.Parts{})
			},
			Indexing: func(_ context.Context, c *rag.Corpus) (*rag.Corpus, error) {
				return c.With(rag.Options{Models: func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
					if blocked { // as a model that is slow
						reached <- struct{}{}
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return c.OpenLocal(ctx, true, rag.Parts{})
				}}), nil
			},
		})
	}
	d := open(true)
	if _, err := d.CreateNamespace(ctx, "main"); err != nil {
		t.Fatal(err)
	}
	start := func(d *service.Database, id, text string) *service.Job {
		t.Helper()
		r := service.JobRequest{Methods: []string{"bridge"}}
		if id != "" {
			in, err := (&service.Document{ID: id, Text: text}).Input()
			if err != nil {
				t.Fatal(err)
			}
			r.Documents = []rag.Input{in}
		}
		job, err := d.Start(ctx, "main", r)
		if err != nil {
			t.Fatal(err)
		}
		return job
	}
	first := start(d, "first.md", "The lamp of Brae is green.")
	<-reached
	second := start(d, "second.md", "The mast of Foula is white.")
	third := start(d, "", "")
	if _, err := d.Cancel("main", third.ID); err != nil {
		t.Fatal(err)
	}
	grace, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	d.Close(grace)
	for _, tt := range []struct{ id, state string }{{first.ID, service.JobStopped}, {second.ID, service.JobStopped}, {third.ID, service.JobCancelled}} {
		job, err := d.Job("main", tt.id)
		if err != nil || job.State != tt.state || job.Ended == nil || tt.state == service.JobStopped && !job.Stored {
			t.Errorf("job %s is %+v, %v; want %s", tt.id, job, err, tt.state)
		}
	}
	if _, err := d.Start(ctx, "main", service.JobRequest{}); err == nil {
		t.Error("a job begins after the end")
	}
	// The next process finds both documents, and goes on.
	d = open(false)
	defer d.Close(grace)
	var last service.Job
	for now, err := range d.Watch(ctx, "main", start(d, "", "").ID) {
		if err != nil {
			t.Fatal(err)
		}
		last = now
	}
	if last.State != service.JobDone || last.Result == nil || last.Result.Documents != 2 || last.Result.Chunks != 2 {
		t.Errorf("the next run: %+v %+v", last, last.Result)
	}
	c, err := d.Corpus(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	k, err := c.Prepare(ctx, service.Request{Question: "What colour is the mast of Foula?"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.Reply(ctx, service.ReplyOptions{EvidenceOnly: true})
	if err != nil || len(r.Items) != 2 {
		t.Errorf("evidence %+v, %v", r, err)
	}
}

// newDatabase opens a database in memory for several users.
func newDatabase(t *testing.T) (*engine.DB, *service.Database) {
	t.Helper()
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{Encodings: methods.Encodings()})
	if err != nil {
		t.Fatal(err)
	}
	d := service.NewDatabase(service.DatabaseOptions{DB: db, Methods: methods.All(),
		Indexing: func(_ context.Context, c *rag.Corpus) (*rag.Corpus, error) { return c, nil }})
	t.Cleanup(func() {
		d.Close(context.Background())
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db, d
}

// TestDroppedNamespace drops a namespace behind the back of a database that is served, and
// makes one of the same name.
func TestDroppedNamespace(t *testing.T) {
	ctx := t.Context()
	db, d := newDatabase(t)
	for _, id := range []string{"old.md", "new.md"} {
		if _, err := d.CreateNamespace(ctx, "main"); err != nil {
			t.Fatal(err)
		}
		in, err := (&service.Document{ID: id, Text: "The lamp of Brae is green."}).Input()
		if err != nil {
			t.Fatal(err)
		}
		job, err := d.Start(ctx, "main", service.JobRequest{Documents: []rag.Input{in}, Methods: []string{"bridge"}})
		if err != nil {
			t.Fatal(err)
		}
		for now, err := range d.Watch(ctx, "main", job.ID) {
			if err != nil || now.Error != nil {
				t.Fatal(err, now.Error)
			}
		}
		c, err := d.Corpus(ctx, "main")
		if err != nil {
			t.Fatal(err)
		}
		page, err := c.Page(ctx, service.PageOptions{})
		if err != nil || len(page.Documents) != 1 || page.Documents[0].ID != id {
			t.Fatalf("documents %+v, %v; want %s", page, err, id)
		}
		if err := db.DropNamespace(ctx, "main"); err != nil {
			t.Fatal(err)
		}
		// Nobody asks until there is another one.
	}
}

// TestJobsInOrder sends versions of a document one after the other, and does not wait: the
// last one stays.
func TestJobsInOrder(t *testing.T) {
	ctx := t.Context()
	_, d := newDatabase(t)
	if _, err := d.CreateNamespace(ctx, "main"); err != nil {
		t.Fatal(err)
	}
	const n = 30
	var last *service.Job
	for i := range n {
		in, err := (&service.Document{ID: "lamp.md", Text: fmt.Sprintf("Version %d of the lamp.", i)}).Input()
		if err != nil {
			t.Fatal(err)
		}
		if last, err = d.Start(ctx, "main", service.JobRequest{Documents: []rag.Input{in}, Methods: []string{"bridge"}}); err != nil {
			t.Fatal(err)
		}
		if i%7 == 3 {
			if _, err := d.Cancel("main", last.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	for now, err := range d.Watch(ctx, "main", last.ID) {
		if err != nil || now.Error != nil {
			t.Fatal(err, now.Error)
		}
	}
	c, err := d.Corpus(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := c.Text(ctx, "lamp.md"); err != nil || text != fmt.Sprintf("Version %d of the lamp.", n-1) {
		t.Errorf("the document is %q, %v", text, err)
	}
}
