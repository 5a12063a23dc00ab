package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
)

func documentOperations() []*operation {
	return []*operation{
		define(operation{method: http.MethodGet, path: corpusRoot + "/documents", id: "listDocuments", tag: "documents", role: Read,
			summary: "List the documents, by page"}, (*call).listDocuments),
		define(operation{method: http.MethodPost, path: corpusRoot + "/documents", id: "addDocuments", tag: "documents", role: Write, status: http.StatusAccepted,
			summary: "Add documents, or replace those of the same ids",
			about:   "Answers with the job that stores and indexes them. Documents that did not change cost nothing. A document that cannot be read is set aside, and the result of the job names it."}, (*call).addDocuments),
		define(operation{method: http.MethodPost, path: corpusRoot + "/documents/upload", id: "uploadDocuments", tag: "documents", role: Write, status: http.StatusAccepted, upload: true,
			summary: "Add files as documents",
			about:   "Each part named file is a file whose name is the id of the document; records of .jsonl and .csv files are documents with ids of their own. Answers with the job that stores and indexes them."}, (*call).uploadDocuments),
		define(operation{method: http.MethodDelete, path: corpusRoot + "/documents", id: "removeDocument", tag: "documents", role: Write, heavy: true,
			summary: "Remove a document with all that only it supported", about: "A removal waits for the job that runs."}, (*call).removeDocument),
		define(operation{method: http.MethodPost, path: corpusRoot + "/documents/remove", id: "removeDocuments", tag: "documents", role: Write, heavy: true,
			summary: "Remove several documents",
			about:   "Each goes in one commit. If one is not there the answer is an error, and none is removed. A removal waits for the job that runs."}, (*call).removeDocuments),
		define(operation{method: http.MethodGet, path: corpusRoot + "/document", id: "readDocument", tag: "documents", role: Read,
			summary: "The text of a document"}, (*call).readDocument),
	}
}

type listDocumentsIn struct {
	corpusPath
	// Where the page begins: next of the page before.
	After string `query:"after" schema:"maxlen=9,digits"`
	// How many documents the page has at most; 100 if it is left out.
	Limit int `query:"limit" schema:"min=1,max=1000"`
	// How the ids of the documents begin.
	Prefix string `query:"prefix" schema:"maxlen=4096"`
}

func (c *call) listDocuments(ctx context.Context, in *listDocumentsIn) (*service.DocumentPage, error) {
	_, corpus, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	return corpus.Page(ctx, service.PageOptions{After: in.After, Limit: in.Limit, Prefix: in.Prefix})
}

type addDocumentsIn struct {
	corpusPath
	Documents []service.Document `json:"documents" schema:"minitems=1,maxitems=10000"`
	// Methods index the documents; without them those that the namespace has.
	Methods []string `json:"methods,omitempty" schema:"maxitems=20"`
	// Wait answers when the job has ended, or when the time of an answer is over.
	Wait bool `json:"wait,omitempty"`
}

func (c *call) addDocuments(ctx context.Context, in *addDocumentsIn) (*service.Job, error) {
	d, _, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	r := service.JobRequest{Methods: in.Methods}
	for i := range in.Documents {
		input, err := in.Documents[i].Input()
		if err != nil {
			return nil, err
		}
		r.Documents = append(r.Documents, input)
		r.Bytes += int64(len(in.Documents[i].Text) + len(in.Documents[i].Content))
	}
	return c.start(ctx, d, in.NS, r, in.Wait)
}

// start begins a job, and waits for its end if that is wanted.
func (c *call) start(ctx context.Context, d *service.Database, ns string, r service.JobRequest, wait bool) (*service.Job, error) {
	job, err := d.Start(ctx, ns, r)
	record(ctx).memory.Close() // the job has drawn what the documents take
	if err != nil || !wait {
		return job, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.s.o.Limits.Time)
	defer cancel()
	for now, err := range d.Watch(ctx, ns, job.ID) {
		if errors.Is(err, context.DeadlineExceeded) {
			return job, nil
		}
		if err != nil {
			return nil, err
		}
		job = &now
	}
	return job, nil
}

type uploadIn struct {
	corpusPath
	// The methods that index the documents; without them those that the namespace has.
	Methods []string `query:"method" schema:"maxitems=20"`
	// Answer when the job has ended, or when the time of an answer is over.
	Wait bool `query:"wait"`
	// What stands before the ids of the documents, those of records too, such as a folder with its slash.
	Prefix string `query:"prefix" schema:"maxlen=4096"`
	// Files are the parts named file.
	Files []upload `json:"file" schema:"minitems=1"`
}

// upload is a file of a form.
type upload struct{}

func (c *call) uploadDocuments(ctx context.Context, in *uploadIn) (*service.Job, error) {
	d, _, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	media, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return nil, refuse("media_type", "send multipart/form-data", "the body is not of the type that is taken")
	}
	r := service.JobRequest{Methods: in.Methods}
	parts := multipart.NewReader(c.r.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, formError(err)
		}
		input, n, err := readPart(part, in.Prefix)
		if err != nil {
			return nil, err
		}
		r.Documents, r.Bytes = append(r.Documents, input), r.Bytes+n
	}
	if len(r.Documents) == 0 {
		return nil, refuse("usage", "", "the form has no part named file")
	}
	return c.start(ctx, d, in.NS, r, in.Wait)
}

// readPart reads a file of a form.
func readPart(part *multipart.Part, prefix string) (rag.Input, int64, error) {
	if part.FormName() != "file" {
		return rag.Input{}, 0, refuse("usage", "", fault.Text("the form has a part named %q, and takes file", part.FormName()))
	}
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	name := strings.TrimLeft(strings.ReplaceAll(params["filename"], `\`, "/"), "/")
	if err != nil || name == "" || !utf8.ValidString(name) {
		return rag.Input{}, 0, refuse("usage", "", "a file of the form has no name that can be an id")
	}
	src, err := load.ReadSource(part, name, nil)
	if err != nil {
		return rag.Input{}, 0, formError(err)
	}
	return rag.Input{Source: &src, Load: load.Options{KeyPrefix: prefix}}, int64(len(src.Content)), nil
}

// formError says what is wrong with a form that cannot be read.
func formError(err error) error {
	err = bodyError(err)
	var e *service.Error
	if errors.As(err, &e) {
		return err
	}
	return refuse("usage", "", "the form cannot be read: "+fault.Cut(strings.TrimPrefix(err.Error(), "multipart: ")))
}

type removeDocumentIn struct {
	corpusPath
	// The id of the document.
	ID string `query:"id" need:"yes" schema:"maxlen=4096"`
	// Change nothing, and say what would go.
	DryRun bool `query:"dry_run"`
}

func (c *call) removeDocument(ctx context.Context, in *removeDocumentIn) (*service.Removed, error) {
	return c.remove(ctx, in.corpusPath, []string{in.ID}, in.DryRun)
}

type removeDocumentsIn struct {
	corpusPath
	// IDs name the documents.
	IDs []string `json:"ids" schema:"minitems=1,maxitems=10000"`
	// DryRun changes nothing, and says what would go.
	DryRun bool `json:"dry_run,omitempty"`
}

func (c *call) removeDocuments(ctx context.Context, in *removeDocumentsIn) (*service.Removed, error) {
	return c.remove(ctx, in.corpusPath, in.IDs, in.DryRun)
}

func (c *call) remove(ctx context.Context, at corpusPath, ids []string, dryRun bool) (*service.Removed, error) {
	d, corpus, err := c.corpus(ctx, at)
	if err != nil {
		return nil, err
	}
	if d.ReadOnly(ctx) && !dryRun {
		return nil, refuse("read_only", "", "the database is open for reading")
	}
	return corpus.RemoveDocuments(ctx, ids, rag.RemoveOptions{DryRun: dryRun})
}

type readDocumentIn struct {
	corpusPath
	// The id of the document.
	ID string `query:"id" need:"yes" schema:"maxlen=4096"`
}

// DocumentText is the text of a document, as it is cut into chunks.
type DocumentText struct {
	V    int    `json:"v"`
	ID   string `json:"id"`
	Text string `json:"text"`
}

func (c *call) readDocument(ctx context.Context, in *readDocumentIn) (*DocumentText, error) {
	_, corpus, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	text, err := corpus.Text(ctx, in.ID)
	return &DocumentText{V: 1, ID: in.ID, Text: text}, err
}
