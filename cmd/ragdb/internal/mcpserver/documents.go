package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ragdb/ragdb/internal/plain"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
)

func (s *server) documentsTool() *tool {
	return &tool{
		name: "documents", title: "List the documents",
		about: `List the documents: key, title, format, size, language, metadata. The metadata are what a where condition of ask and search may use. It is a list of what there is, not a search: to find a subject use search.`,
		args: []arg{
			{name: "prefix", kind: isText, example: `"docs/"`, about: "List only documents whose keys begin so, such as docs/."},
			{name: "after", kind: isText, example: `"120"`, about: "Where to go on: the value next of the list before. Leave it out to begin."},
			{name: "limit", kind: isNumber, min: 1, max: 1000, usual: 50, example: "50", about: "The most documents, from 1 to 1000."},
			tokensArg(),
		},
		run: func(ctx context.Context, _ *mcp.CallToolRequest, c *corpus, a arguments) (*mcp.CallToolResult, error) {
			o := service.PageOptions{After: strings.TrimSpace(a.text("after")), Limit: a.number("limit"), Prefix: a.text("prefix")}
			whole, err := c.Page(ctx, o)
			if err != nil {
				return nil, err
			}
			out := &documentPage{DocumentPage: &service.DocumentPage{V: 1, Total: whole.Total, Documents: []service.DocumentRow{}}}
			p, err := newPage(c, a.number("max_tokens"), whole, out)
			if err != nil {
				return nil, err
			}
			p.take(nil, func() { p.say("%s in all\n", plain.Plural(whole.Total, "document")) })
			for _, d := range whole.Documents {
				d.Title, d.Meta = short(d.Title, 300), shortMeta(d.Meta, 200)
				if !p.take(&d, func() { sayDocument(p, &d) }) {
					break
				}
				out.Documents = append(out.Documents, d)
			}
			n := len(out.Documents)
			if n == 0 && len(whole.Documents) > 0 {
				return nil, service.Usage("call documents with a higher max_tokens", "the description of %s alone is longer than max_tokens", quoted(whole.Documents[0].ID))
			}
			out.Next = whole.Next
			if n < len(whole.Documents) {
				o.Limit = n // for where the list goes on
				short, err := c.Page(ctx, o)
				if err != nil {
					return nil, err
				}
				out.Next = short.Next
			}
			if out.Next != "" {
				out.LeftOut = &leftOut{n, whole.Total, fmt.Sprintf("For the next ones call documents with after %q.", out.Next)}
			}
			p.tell(out.LeftOut)
			return p.result(out)
		},
	}
}

// documentPage is a part of the list of documents.
type documentPage struct {
	*service.DocumentPage
	LeftOut *leftOut `json:"left_out,omitempty"`
}

func sayDocument(p *page, d *service.DocumentRow) {
	p.say("- %s", quoted(d.ID))
	if d.Title != "" {
		p.say(", title %s", quoted(d.Title))
	}
	p.say(", format %s, %d bytes", quoted(d.Format), d.Bytes)
	if d.Lang != "" {
		p.say(", language %s", quoted(d.Lang))
	}
	for _, k := range sortedKeys(d.Meta) {
		p.say(", %s: %s", quoted(k), quoted(d.Meta[k]))
	}
	p.say("\n")
}

func (s *server) addTool() *tool {
	return &tool{
		name: "add", title: "Add a document", writes: true, destroys: true,
		about: `Add a document, so that ask and search find it. A document with the same id is replaced by it. The call waits until it is indexed; if that takes long it returns with state running and says whether the document is stored; the same call again waits on.`,
		args: []arg{
			{name: "id", kind: isText, required: true, example: `"notes/pump.md"`, about: "The key of the document, such as notes/pump.md. Its ending is the format of text: .md, .txt or .html. An existing document of this key is replaced."},
			{name: "text", kind: isText, required: true, example: `"# The pump\n\nModel B has a warranty of two years."`, about: "The whole content, in the format that the ending of the id says."},
			{name: "title", kind: isText, example: `"The pump"`, about: "The title, if the content states none."},
			{name: "meta", kind: isObject, example: `{"team": "support", "year": 2026}`, about: `What more to say of it, for where conditions: names with texts, numbers, true or false, or lists of texts, such as {"team": "support", "year": 2026}.`},
		},
		run: s.add,
	}
}

func (s *server) add(ctx context.Context, req *mcp.CallToolRequest, c *corpus, a arguments) (*mcp.CallToolResult, error) {
	doc := service.Document{ID: strings.TrimSpace(a.text("id")), Text: a.text("text"), Title: a.text("title")}
	doc.Meta, _ = a["meta"].(map[string]any)
	in, err := doc.Input()
	if err != nil {
		return nil, err
	}
	job, err := c.db.Start(ctx, c.Namespace().Name(), service.JobRequest{Documents: []rag.Input{in}, Bytes: int64(len(doc.Text))})
	if err != nil {
		return nil, err
	}
	if job, err = s.await(ctx, req, c, job); err != nil {
		return nil, err
	}
	p, err := newPage(c, mostTokens, job, job)
	if err != nil {
		return nil, err
	}
	switch {
	case len(job.SetAside) > 0:
		return nil, service.Usage("mend the text, or choose another ending for the id: .md or .txt", "the document was not stored: it %s", job.SetAside[0].Reason)
	case job.Error != nil:
		return nil, &service.Error{Code: job.Error.Code, Message: job.Error.Message, Hint: job.Error.Hint}
	case job.State == service.JobQueued, job.State == service.JobRunning:
		where := "waits to be stored"
		if job.Stored {
			where = "is stored, and being indexed"
		}
		p.say("state: %s. %s %s; to wait for it call add again with the same arguments.\n", job.State, quoted(doc.ID), where)
	case job.State != service.JobDone:
		p.say("state: %s. Indexing ended before it was done; call add again with the same arguments to go on.\n", job.State)
	case job.Result == nil:
		p.say("state: %s.\n", job.State)
	case job.Result.Replaced > 0:
		p.say("state: done. The document %s was replaced.\n", quoted(doc.ID))
	case job.Result.Added > 0:
		p.say("state: done. The document %s was added.\n", quoted(doc.ID))
	default:
		p.say("state: done. The document %s is there already, just so.\n", quoted(doc.ID))
	}
	return p.result(job)
}

// await waits until a job has ended, or for the time that add waits, and tells the client
// of its progress. The job goes on if the call ends.
func (s *server) await(ctx context.Context, req *mcp.CallToolRequest, c *corpus, job *service.Job) (*service.Job, error) {
	waiting, cancel := context.WithTimeout(ctx, s.AddTime)
	defer cancel()
	token, step := req.Params.GetProgressToken(), 0
	for j, err := range c.db.Watch(waiting, c.Namespace().Name(), job.ID) {
		if err != nil {
			if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				return job, nil
			}
			return nil, err
		}
		job = &j
		if token != nil && j.Progress != nil {
			step++
			// A client that does not hear of progress is told the result all the same.
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(step),
				Message: progressText(j.Progress)})
		}
	}
	return job, nil
}

// progressText tells how far a run has come.
func progressText(p *service.Progress) string {
	if p.Total < p.Done { // it is not known yet
		return fmt.Sprintf("%s: %d", p.Stage, p.Done)
	}
	return fmt.Sprintf("%s: %d of %d", p.Stage, p.Done, p.Total)
}

func (s *server) removeTool() *tool {
	return &tool{
		name: "remove", title: "Remove documents", writes: true, destroys: true,
		about: `Remove documents for good, with their passages and all that only they support in the graphs. It cannot be undone: ask the user first, or see with dry_run what would go. If an id is not there nothing is removed.`,
		args: []arg{
			{name: "ids", kind: isTexts, required: true, max: 100, example: `["notes/pump.md"]`, about: "The keys of the documents, as documents lists them; no patterns."},
			{name: "dry_run", kind: isBool, example: "true", about: "Only say what would be removed."},
		},
		run: func(ctx context.Context, _ *mcp.CallToolRequest, c *corpus, a arguments) (*mcp.CallToolResult, error) {
			ids := a.texts("ids")
			r, err := c.RemoveDocuments(ctx, ids, rag.RemoveOptions{DryRun: a.is("dry_run")})
			if err != nil {
				e := s.explain(ctx, c, err)
				switch {
				case e.Code == "not_found":
					e.Hint = "documents lists the keys"
				case len(r.Removed) > 0:
					e.Message = fmt.Sprintf("%d of %s were removed, then: %s", len(r.Removed), plain.Plural(len(ids), "document"), e.Message)
				}
				return nil, e
			}
			p, err := newPage(c, mostTokens, r, r)
			if err != nil {
				return nil, err
			}
			did := "removed"
			if r.DryRun {
				did = "would be removed"
			}
			for _, d := range r.Removed {
				p.say("%s %s, with %s and %s of graphs\n", quoted(d.Doc), did, plain.Plural(d.Chunks, "passage"), plain.Plural(d.Derived, "node"))
			}
			return p.result(r)
		},
	}
}
