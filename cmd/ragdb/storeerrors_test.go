package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// TestExplainStore tells people what the store's errors mean: a full disk is one,
// though the store takes no writes since; the hint names --readonly only to users
// who has not given it; and each damaged file has its own remedy.
func TestExplainStore(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "000004.log", Err: syscall.ENOSPC}
	damaged := func(file string) error {
		return errors.Join(&kv.CorruptError{File: file, Why: "a reason"}, errors.New("close: the same again"))
	}
	for _, c := range []struct {
		err        error
		code, hint string
	}{
		{fmt.Errorf("%w: an earlier write failed: %w", kv.ErrReadOnly, full), "disk_full", "make room"},
		{fmt.Errorf("%w: an earlier write failed: %w", kv.ErrReadOnly, syscall.EIO), "read_only", ""},
		{damaged("000012.sst"), "corrupt", "restore a backup"},
		{damaged("000004.log"), "corrupt", "SYNCED"},
		{damaged("OPTIONS-000007"), "corrupt", "nothing is lost"},
		{&kv.CorruptError{Key: "out(g1,5,e2)", Why: "a reason"}, "corrupt", "see all that is damaged with ragdb check"},
		{fmt.Errorf("open: %w", &kv.CorruptError{Key: "state record", Why: "a reason"}), "corrupt", "restore a backup of the server"},
		{fmt.Errorf("%w: an earlier write failed: %w", kv.ErrReadOnly, damaged("000012.sst")), "corrupt", "restore a backup"},
	} {
		f := (&app{}).explain(c.err)
		if f.code != c.code || !strings.Contains(f.hint, c.hint) || c.hint == "" && f.hint != "" {
			t.Errorf("%v: %s, hint %q", c.err, f.code, f.hint)
		}
		if strings.Contains(f.hint, "--readonly") || strings.Contains(f.message, "\n") {
			t.Errorf("%v: %q, hint %q", c.err, f.message, f.hint)
		}
	}
}
