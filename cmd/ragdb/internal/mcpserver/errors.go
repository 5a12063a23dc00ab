package mcpserver

import (
	"context"
	"strings"

	"github.com/ragdb/ragdb/internal/plain"
	"github.com/ragdb/ragdb/internal/service"
)

// explain returns an error as a model is told of it: in terms of tools, not of commands,
// and without the place of the database.
func (s *server) explain(ctx context.Context, c *corpus, err error) *service.Error {
	e := *service.Explain(err)
	if c != nil {
		path := c.DB().Path()
		for _, p := range []string{plain.Quote(path), path} {
			if len(p) > 2 {
				e.Message = strings.ReplaceAll(e.Message, p, "the database")
			}
		}
	}
	switch e.Code {
	case "not_found":
		switch {
		case strings.HasPrefix(e.Hint, "see e:"):
			e.Hint, _, _ = strings.Cut(e.Hint, ", or ")
		case strings.HasPrefix(e.Hint, "it is in the graph of "):
			_, m, _ := strings.Cut(e.Hint, "--method ")
			e.Hint = "call why again with the method " + m
		case strings.HasPrefix(e.Hint, "give a document's key"):
			e.Hint = "take an id as another tool printed it: a document's key from documents, c:KEY or e:NAME from search or show"
		case strings.HasPrefix(e.Hint, "the newest traces"):
		case commandWords(e.Hint):
			e.Hint = "take an id as another tool printed it"
		}
	case "not_indexed":
		e.Hint = "leave method out, or take bridge, naive, bm25 or dense"
		if c != nil {
			if have, ierr := service.Instances(ctx, c.Corpus.Corpus); ierr == nil && len(have) == 0 {
				e.Hint = "there are no documents yet; tell the user to index some"
			}
		}
	case "interrupted":
		e.Message, e.Hint = "the call was cancelled", ""
	case "timeout":
		e.Message, e.Hint = "the call took too long", "ask for less"
	case "read_only":
		e.Message, e.Hint = "this only reads, and the call writes", "leave out what writes"
	case "provider", "reply", "budget", "not_recorded":
		e.Hint = "use search, which needs no chat model, and answer from its passages"
	case "limit":
		e.Hint = "make the statement smaller: add a WHERE or a LIMIT"
	}
	if commandWords(e.Hint) {
		e.Hint = ""
	}
	return &e
}

// commandWords reports whether a hint is for the user of the command.
func commandWords(hint string) bool {
	return strings.Contains(hint, "ragdb ") || strings.Contains(hint, "--")
}
