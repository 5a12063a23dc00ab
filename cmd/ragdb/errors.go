package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ragdb/ragdb/engine"
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

// The exit codes. They are a contract.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitLocked      = 4
	exitCorrupt     = 5
	exitProvider    = 6
	exitBudget      = 7
	exitPartial     = 8
	exitNoEvidence  = 9
	exitInterrupted = 130
)

// failure is an error as the user sees it: what is wrong, and what to do.
type failure struct {
	exit    int
	code    string
	message string
	hint    string // "" if there is nothing to advise
	detail  string // lines to show below the message to people
	told    bool   // it was written already
	err     error
}

// Error implements error.
func (f *failure) Error() string { return f.message }

// Unwrap returns what the failure was made from.
func (f *failure) Unwrap() error { return f.err }

func usage(hint, format string, args ...any) *failure {
	return &failure{exit: exitUsage, code: "usage", message: fmt.Sprintf(format, args...), hint: hint}
}

func notFound(hint, format string, args ...any) *failure {
	return &failure{exit: exitNotFound, code: "not_found", message: fmt.Sprintf(format, args...), hint: hint}
}

// interrupted marks an error as the work of a signal, unless a command did.
func interrupted(err error) error {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return &failure{exit: exitInterrupted, code: "interrupted", message: "interrupted", err: err}
}

// errNoEvidence says that retrieval found nothing to answer from.
var errNoEvidence = errors.New("no evidence found")

// kind is a row of the table that turns the libraries' errors into exit codes.
type kind struct {
	is   error
	exit int
	code string
	hint string
}

// kinds is the table. The first row that fits decides.
func kinds() []kind {
	return []kind{
		{context.Canceled, exitInterrupted, "interrupted", "run the same command to go on"},
		{context.DeadlineExceeded, exitFailed, "timeout", "what was done is saved; run it again, or give it more time with --timeout"},
		{kv.ErrLocked, exitLocked, "locked", "wait for that process to end, or work on a copy (ragdb backup, ragdb restore)"},
		{engine.ErrFormat, exitCorrupt, "format", ""},
		{kv.ErrForeign, exitCorrupt, "foreign", "give the path of a database, or one that does not exist yet; nothing was touched"},
		{kv.ErrIncompatible, exitCorrupt, "format", "use the ragdb that wrote it to export, and import here"},
		{engine.ErrCorrupt, exitCorrupt, "corrupt", "see all that is damaged with ragdb check, which repairs what it can with --repair, or restore a backup"},
		{syscall.ENOSPC, exitFailed, "disk_full", "make room and run the same command to go on"},
		{engine.ErrReadOnly, exitFailed, "read_only", "run it without --readonly"},
		{engine.ErrNoIndex, exitUsage, "usage", "ragdb show DB DOC lists what a document says of itself"},
		{engine.ErrInvalid, exitUsage, "usage", ""},
		{cypher.ErrLimit, exitFailed, "limit", ""},
		{load.ErrOption, exitUsage, "usage", ""},
		{method.ErrMethod, exitUsage, "usage", ""},
		{encoder.ErrModel, exitUsage, "model_folder", "give a folder as models are published, with config.json, model.safetensors and tokenizer.json; ragdb model check DIR tells what it is"},
		{openai.ErrConfig, exitUsage, "usage", "give the endpoint with --base-url or --embed-base-url, and its key in OPENAI_API_KEY"},
		{cost.ErrBudget, exitBudget, "budget", "what was done is saved; the same command with a higher limit goes on"},
		{replay.ErrNotRecorded, exitProvider, "not_recorded", "ask without --replay, or import what is missing with ragdb cache import"},
		{rag.ErrModel, exitUsage, "model", "use that model, or change it with ragdb reembed DB --embed-model MODEL"},
		{llm.ErrProvider, exitProvider, "provider", "what was done is saved; check the model with ragdb doctor, then run it again"},
		{llm.ErrRefused, exitProvider, "provider", ""},
		{llm.ErrReply, exitProvider, "reply", "ask again, or use another model"},
		{method.ErrNotIndexed, exitNotFound, "not_indexed", "index it with ragdb index DB PATH --method METHOD"},
		{rag.ErrNoDocuments, exitNotFound, "no_documents", "give a folder with files of a format that it reads (" + strings.Join(load.Formats(), ", ") + "), or name the --format"},
		{errNoEvidence, exitNoEvidence, "no_evidence", "ask in the words of the documents, or look with --no-llm at what was found"},
		{rag.ErrPartial, exitPartial, "partial", "ragdb status tells what failed"},
		{engine.ErrNotFound, exitNotFound, "not_found", ""},
		{engine.ErrMemory, exitFailed, "memory", ""},
		{fs.ErrNotExist, exitNotFound, "not_found", "check the spelling of the path"},
		{fs.ErrPermission, exitFailed, "permission", "check who may read and write it"},
	}
}

// explain turns any error into what the user is told.
func (a *app) explain(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	for _, k := range kinds() {
		if errors.Is(err, k.is) {
			if k.is == engine.ErrReadOnly && !a.global.readOnly {
				k.hint = "" // the flag was not given
			}
			if k.is == engine.ErrCorrupt {
				k.hint = damageHint(err, k.hint)
			}
			return &failure{exit: k.exit, code: k.code, message: message(err), hint: k.hint, err: err}
		}
	}
	return &failure{exit: exitFailed, code: "failed", message: message(err), err: err}
}

// damageHint says what to do about damage. A damaged file keeps check from reading
// the database too, so it is of no use there; otherwise is for damaged values.
func damageHint(err error, otherwise string) string {
	var damage *kv.CorruptError
	switch {
	case !errors.As(err, &damage) || damage.File == "":
		return otherwise
	case strings.HasPrefix(damage.File, "OPTIONS-"):
		return "nothing is lost: remove that file, which is made again"
	case strings.HasSuffix(damage.File, ".log"):
		return "restore a backup with ragdb restore; without one, remove the file SYNCED beside it to open what is left, without the commits that are lost"
	}
	return "restore a backup with ragdb restore"
}

// message returns what an error says to the user: the sentence of its cause if
// that is a whole one, else the text of the whole error.
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

// absent returns the text of an error about missing files without the system's words
// for that.
func absent(err error) string {
	return strings.TrimSuffix(err.Error(), ": "+fs.ErrNotExist.Error())
}
