package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/encoder"
	"github.com/ragdb/ragdb/rag/llm/openai"
	"github.com/ragdb/ragdb/rag/llm/replay"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
)

// Error is an error as people are told of it: its code, what is wrong, and what to do.
type Error struct {
	// Code is one of those that docs/shell.md lists.
	Code    string
	Message string
	// Hint is "" if there is nothing to advise.
	Hint string
	// Detail are lines to show below the message.
	Detail string
	Err    error
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns what the error was made from.
func (e *Error) Unwrap() error { return e.Err }

// Usage is the error of a request that is wrong.
func Usage(hint, format string, args ...any) *Error {
	return &Error{Code: "usage", Message: fault.Text(format, args...), Hint: hint}
}

// NotFound is the error of a request for what is not there.
func NotFound(hint, format string, args ...any) *Error {
	return &Error{Code: "not_found", Message: fault.Text(format, args...), Hint: hint}
}

// ErrNoEvidence says that retrieval found nothing to answer from.
var ErrNoEvidence = errors.New("no evidence found")

// kind is a row of the table that gives the libraries' errors their codes.
type kind struct {
	is   error
	code string
	hint string
}

// kinds is the table. The first row that fits decides.
func kinds() []kind {
	return []kind{
		{context.Canceled, "interrupted", "run the same command to go on"},
		{context.DeadlineExceeded, "timeout", "what was done is saved; run it again, or give it more time with --timeout"},
		{kv.ErrLease, "locked", "what was done before is saved; open it again when that process is done"},
		{kv.ErrUncertain, "unavailable", "open it again: what was committed is there whole"},
		{kv.ErrRefused, "unavailable", "what was done is saved; run it again when the server answers"},
		{kv.ErrExpired, "unavailable", "run it again"},
		{kv.ErrLocked, "locked", "wait for that process to end, or work on a copy (ragdb backup, ragdb restore)"},
		{engine.ErrFormat, "format", ""},
		{kv.ErrForeign, "foreign", "give the path of a database, or one that does not exist yet; nothing was touched"},
		{kv.ErrIncompatible, "format", "use the ragdb that wrote it to export, and import here"},
		{engine.ErrCorrupt, "corrupt", "see all that is damaged with ragdb check, which repairs what it can with --repair, or restore a backup"},
		{syscall.ENOSPC, "disk_full", "make room and run the same command to go on"},
		{engine.ErrReadOnly, "read_only", "run it without --readonly"},
		{engine.ErrNoIndex, "usage", "ragdb show DB DOC lists what a document says of itself"},
		{engine.ErrInvalid, "usage", ""},
		{cypher.ErrLimit, "limit", ""},
		{load.ErrOption, "usage", ""},
		{method.ErrMethod, "usage", ""},
		{encoder.ErrModel, "model_folder", "give a folder as models are published, with config.json, model.safetensors and tokenizer.json; ragdb model check DIR tells what it is"},
		{openai.ErrConfig, "usage", "give the endpoint with --base-url or --embed-base-url, and its key in OPENAI_API_KEY; an encoder that runs here is one of ragdb model list, or file:DIR"},
		{cost.ErrBudget, "budget", "what was done is saved; the same command with a higher limit goes on"},
		{replay.ErrNotRecorded, "not_recorded", "ask without --replay, or import what is missing with ragdb cache import"},
		{rag.ErrModel, "model", "use that model, or change it with ragdb reembed DB --embed-model MODEL"},
		{llm.ErrProvider, "provider", "what was done is saved; check the model with ragdb doctor, then run it again"},
		{llm.ErrRefused, "provider", ""},
		{llm.ErrReply, "reply", "ask again, or use another model"},
		{method.ErrNotIndexed, "not_indexed", "index it with ragdb index DB PATH --method METHOD"},
		{rag.ErrNoDocuments, "no_documents", "give a folder with files of a format that it reads (" + strings.Join(load.Formats(), ", ") + "), or name the --format"},
		{ErrNoEvidence, "no_evidence", "ask in the words of the documents, or look with --no-llm at what was found"},
		{rag.ErrPartial, "partial", "ragdb status tells what failed"},
		{engine.ErrNotFound, "not_found", ""},
		{engine.ErrMemory, "memory", "raise --memory"},
		{engine.ErrBusy, "busy", "try again later, or raise --memory"},
		{fs.ErrNotExist, "not_found", "check the spelling of the path"},
		{fs.ErrPermission, "permission", "check who may read and write it"},
	}
}

// Explain returns an error as people are told of it. Every error has a code.
func Explain(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var syntax *cypher.SyntaxError
	var eval *cypher.EvalError
	switch {
	case errors.As(err, &syntax):
		e = &Error{Code: "syntax", Message: fmt.Sprintf("line %d, column %d: %s", max(1, syntax.Line), syntax.Column, syntax.Message), Detail: syntax.Caret(), Err: err}
		if syntax.Code == "GraphNotFound" {
			e.Code = "not_found"
		}
		return e
	case errors.As(err, &eval):
		return &Error{Code: "evaluation", Message: eval.Message, Err: err}
	}
	for _, k := range kinds() {
		if errors.Is(err, k.is) {
			if k.is == engine.ErrCorrupt {
				k.hint = damageHint(err, k.hint)
			}
			return &Error{Code: k.code, Message: Message(err), Hint: k.hint, Err: err}
		}
	}
	return &Error{Code: "failed", Message: Message(err), Err: err}
}

// damageHint says what to do about damage. A damaged file or state record keeps check from
// reading the database too, so it is of no use there; otherwise is for damaged values.
func damageHint(err error, otherwise string) string {
	var damage *kv.CorruptError
	switch {
	case errors.As(err, &damage) && damage.Key == "state record": // of package tablekv
		return "no command can open the table, ragdb check neither: restore a backup of the server, or one of ragdb into another table, as with ragdb restore DIR 'postgres://...?table=NAME'"
	case damage == nil || damage.File == "":
		return otherwise
	case strings.HasPrefix(damage.File, "OPTIONS-"):
		return "nothing is lost: remove that file, which is made again"
	case strings.HasSuffix(damage.File, ".log"):
		return "restore a backup with ragdb restore; without one, remove the file SYNCED beside it to open what is left, without the commits that are lost"
	}
	return "restore a backup with ragdb restore"
}

// Message returns what an error says to the user, in at most 1,000 bytes: the sentence of
// its cause if that is a whole one, else the text of the whole error.
func Message(err error) string { return fault.Bound(message(err)) }

func message(err error) string {
	var locked *kv.LockedError
	var damage *kv.CorruptError
	var format *engine.FormatError
	var path *fs.PathError
	var partial *rag.PartialError
	var index *engine.NoIndexError
	var provider *openai.ProviderError
	switch {
	case errors.As(err, &provider):
		return provider.Error()
	case errors.Is(err, replay.ErrNotRecorded):
		return "a reply is wanted that is not kept"
	case errors.As(err, &locked):
		return locked.Error()
	case errors.As(err, &format):
		return format.Error()
	case errors.As(err, &index):
		return fmt.Sprintf("the documents have no %q to filter by; they have %s", index.Property, strings.Join(append(index.Indexed, "key", "format"), ", "))
	case errors.As(err, &damage):
		return firstLine(err) // further lines repeat the damage
	case errors.As(err, &partial):
		return partial.Error() + "; the rest is done"
	case errors.Is(err, load.ErrOption):
		return strings.TrimSuffix(err.Error(), ": "+load.ErrOption.Error())
	case errors.Is(err, openai.ErrConfig):
		return strings.TrimPrefix(err.Error(), openai.ErrConfig.Error()+": ")
	case errors.Is(err, context.DeadlineExceeded):
		return "the time of --timeout is over"
	case errors.As(err, &path) && errors.Is(err, fs.ErrNotExist):
		return missing(path.Path) + " does not exist"
	}
	return firstLine(err)
}

// firstLine returns the text of an error without the further lines of joined ones,
// which follow from the first.
func firstLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// missing returns the path that a user knows: a file that is being made has a name
// of its own, and only its folder can be missing.
func missing(path string) string {
	if strings.HasSuffix(path, ".ragdb-part") {
		return filepath.Dir(path)
	}
	return path
}
