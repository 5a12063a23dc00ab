package ragdb

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
)

// sentAtOnce bounds the bytes of documents in one request.
const sentAtOnce = 8 << 20

// Add is [DB.Add] in the other process. If the context ends, the work there ends too, and
// what was done is kept. Errors are those of DB.Add, as [*RemoteError].
func (c *Client) Add(ctx context.Context, docs ...Document) error {
	var batch []service.Document
	size := 0
	var partial error
	send := func() error {
		err := c.send(ctx, batch)
		batch, size = nil, 0
		if errors.Is(err, rag.ErrPartial) {
			partial, err = err, nil
		}
		return err
	}
	for i := range docs {
		d, err := docs[i].remote()
		if err != nil {
			return docs[i].refused(i, err)
		}
		if n := len(d.Text) + len(d.Content); size > 0 && size+n > sentAtOnce {
			if err := send(); err != nil {
				return phase.At("", err)
			}
		}
		batch, size = append(batch, d), size+len(d.Text)+len(d.Content)
	}
	if len(batch) > 0 || len(docs) == 0 {
		if err := send(); err != nil {
			return phase.At("", err)
		}
	}
	if partial != nil {
		return phase.At("", partial)
	}
	return nil
}

// remote returns the document as it is sent.
func (d *Document) remote() (service.Document, error) {
	src, err := d.source()
	if err != nil {
		return service.Document{}, err
	}
	return service.Document{ID: d.ID, Content: src.Content, Title: d.Title, Lang: d.Lang, Meta: d.Meta}, nil
}

// AddFiles is [DB.AddFiles] in the other process: the files are read here and sent.
func (c *Client) AddFiles(ctx context.Context, files fs.FS) error {
	var batch []Document
	size, met := 0, 0
	var partial error
	send := func() error {
		if len(batch) == 0 {
			return nil
		}
		met += len(batch)
		err := c.Add(ctx, batch...)
		batch, size = nil, 0
		if errors.Is(err, rag.ErrPartial) {
			partial, err = err, nil
		}
		return err
	}
	o := &load.Options{}
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if o.Skips(name, e.Type()) != "" {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			return nil
		}
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if size > 0 && size+len(b) > sentAtOnce {
			if err := send(); err != nil {
				return err
			}
		}
		batch, size = append(batch, Document{ID: name, Text: string(b)}), size+len(b)
		return ctx.Err()
	})
	if err == nil {
		err = send()
	}
	switch {
	case err != nil:
		return phase.At("", err)
	case met == 0:
		return phase.At("", rag.ErrNoDocuments)
	}
	if partial != nil {
		return phase.At("", partial)
	}
	return nil
}

// send adds documents and waits until they are indexed.
func (c *Client) send(ctx context.Context, docs []service.Document) error {
	in := map[string]any{}
	if len(c.o.Methods) > 0 {
		in["methods"] = c.o.Methods
	}
	name := "jobs"
	if len(docs) > 0 {
		name, in["documents"] = "documents", docs
	}
	var job service.Job
	if err := c.call(ctx, http.MethodPost, name, in, &job); err != nil {
		return err
	}
	for job.Ended == nil {
		if err := c.follow(ctx, &job); err != nil {
			if ctx.Err() != nil {
				// The other process is told, however this one ends.
				_ = c.call(context.WithoutCancel(ctx), http.MethodPost, "jobs/"+job.ID+"/cancel", map[string]any{}, &job)
			}
			return err
		}
	}
	switch r := job.Result; {
	case job.State == service.JobStopped, job.State == service.JobCancelled:
		return &RemoteError{Code: "closing", Message: "the run was ended; what it has done is kept, and the next one goes on"}
	case job.Error == nil:
		return nil
	case job.Error.Code == "partial" && r != nil:
		return partial(r.IndexResult)
	}
	return &RemoteError{Code: job.Error.Code, Message: job.Error.Message}
}

// follow reads what is told of a job until it ends, or the connection does.
func (c *Client) follow(ctx context.Context, job *service.Job) error {
	return c.events(ctx, http.MethodGet, "jobs/"+job.ID+"/events", nil, func(_ string, data []byte) error {
		return json.Unmarshal(data, job)
	})
}

// Remove is [DB.Remove] in the other process, a thousand documents at a time.
func (c *Client) Remove(ctx context.Context, ids ...string) error {
	for part := range slices.Chunk(ids, 1000) {
		var out service.Removed
		if err := c.call(ctx, http.MethodPost, "documents/remove", map[string]any{"ids": part}, &out); err != nil {
			return phase.At("", err)
		}
	}
	return nil
}

// Ask is [DB.Ask] in the other process. The answer's Evidence is nil: [Client.Search] has
// it.
func (c *Client) Ask(ctx context.Context, question string, options ...AskOption) (*Answer, error) {
	a, in, err := c.prepare(question, options)
	if err != nil {
		return nil, phase.At("", err)
	}
	var out service.Answer
	if a.Stream == nil {
		err = c.call(ctx, http.MethodPost, "ask", in, &out)
	} else {
		err = c.events(ctx, http.MethodPost, "ask", in, func(name string, data []byte) error {
			if name == "answer" {
				return json.Unmarshal(data, &out)
			}
			var piece struct{ Text string }
			if err := json.Unmarshal(data, &piece); err != nil {
				return err
			}
			return a.Stream(piece.Text)
		})
	}
	if err != nil {
		return nil, phase.At("", err)
	}
	r := &Answer{Question: out.Question, Refusal: out.Refusal, Supported: out.Supported, Method: out.Method, Sources: out.Sources, Trace: out.Trace, Cut: out.Cut}
	if out.Answer != nil {
		r.Text = *out.Answer
	}
	if out.Answered != nil {
		r.Answered = *out.Answered
	}
	if !r.Answered {
		r.Text = service.NoAnswer
	}
	if out.Nearest != nil {
		r.Nearest = *out.Nearest
	}
	for _, u := range out.Usage {
		r.Usage.Add(u.Usage)
	}
	for i := range r.Sources {
		r.Sources[i].Chunk = strings.TrimPrefix(r.Sources[i].Chunk, chunkPrefix)
	}
	for i := range r.Nearest {
		r.Nearest[i].Chunk = strings.TrimPrefix(r.Nearest[i].Chunk, chunkPrefix)
	}
	return r, nil
}

// chunkPrefix stands before the keys of chunks in ids.
var chunkPrefix = service.ChunkID("")

// Search is [DB.Search] in the other process. Chunk is known of hits that are chunks.
func (c *Client) Search(ctx context.Context, question string, options ...AskOption) ([]Hit, error) {
	_, in, err := c.prepare(question, options)
	if err != nil {
		return nil, phase.At("", err)
	}
	var out service.Answer
	if err := c.call(ctx, http.MethodPost, "search", in, &out); err != nil {
		return nil, phase.At("", err)
	}
	var hits []Hit
	if out.Items == nil {
		return hits, nil
	}
	for _, it := range *out.Items {
		h := Hit{Text: it.Text, Score: it.Score}
		if key, ok := strings.CutPrefix(it.ID, chunkPrefix); ok && it.Kind == method.ChunkNodeType {
			h.Chunk = key
		}
		if len(it.Sources) > 0 {
			from := it.Sources[0]
			h.Doc, h.Page, h.Heading, h.Bytes = from.Doc, from.Page, from.Heading, from.Bytes
		}
		hits = append(hits, h)
	}
	return hits, nil
}

// prepare turns a question and its options into a request.
func (c *Client) prepare(question string, options []AskOption) (*asking, *service.Request, error) {
	a := &asking{}
	a.Style = c.o.Style
	if len(c.o.Methods) > 0 {
		a.method = c.o.Methods[0]
	}
	for _, o := range options {
		if o == nil {
			continue
		}
		if err := o(a); err != nil {
			return nil, nil, err
		}
	}
	return a, &service.Request{Question: question, Method: a.method, Where: a.where, Top: a.Top, Budget: a.Budget, Style: a.Style, Lang: a.Lang, Rules: a.noModel}, nil
}

// events sends a request and hands on the server-sent events of its answer. An event named
// error is the error.
func (c *Client) events(ctx context.Context, verb, name string, in any, fn func(event string, data []byte) error) error {
	resp, err := c.request(ctx, verb, name, in, "text/event-stream")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	event, done := "", false
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && done {
			return nil // the answer is whole
		}
		if err != nil {
			return broken(ctx, err)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if name, ok := strings.CutPrefix(text, "event: "); ok {
			event = name
		}
		data, ok := strings.CutPrefix(text, "data: ")
		if !ok {
			continue
		}
		if event == "error" {
			var p struct {
				Code, Detail string
				Status       int
			}
			if err := json.Unmarshal([]byte(data), &p); err != nil {
				return err
			}
			return &RemoteError{Code: p.Code, Status: p.Status, Message: p.Detail}
		}
		done = event == "answer" || event == "job"
		if err := fn(event, []byte(data)); err != nil {
			return err
		}
	}
}
