package local_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/local"
)

// TestDrop takes words out of a stored table: texts without them keep their
// vectors, and no block says them.
func TestDrop(t *testing.T) {
	t.Parallel()
	var texts []string
	for i := range 1200 {
		texts = append(texts, fmt.Sprintf("The keeper of lamp%04d and harbour%04d met the ferry of day %d.", i, i%40, i%7))
	}
	table, err := local.Train(t.Context(), seqOf(texts), local.TrainOptions{Version: 3})
	if err != nil {
		t.Fatal(err)
	}
	s := stored{}
	put := func(key, value []byte) error {
		s[string(key)] = value
		return nil
	}
	remove := func(key []byte) error {
		delete(s, string(key))
		return nil
	}
	for k, v := range table.Entries() {
		s[string(k)] = v
	}
	if len(s) < 3 {
		t.Fatalf("only %d rows", len(s))
	}
	for _, words := range [][]string{{"lamp0001", "lamp0700", "unknown"}, {"lamp0002"}, nil} {
		if err := local.Drop(s, put, remove, words); err != nil {
			t.Fatal(err)
		}
	}
	got, err := local.LoadTable(s)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := got.Head().Words, table.Head().Words-3; a != b || got.Head().Version != 3 {
		t.Errorf("%d words of version %d, want %d of 3", a, got.Head().Version, b)
	}
	for key, b := range s {
		for _, w := range []string{"lamp0001", "lamp0700", "lamp0002"} {
			if strings.Contains(key, w) || strings.Contains(string(b), w) {
				t.Errorf("row %s says %s", key, w)
			}
		}
	}
	for i, text := range texts {
		x, _ := table.Embed(text)
		y, _ := got.Embed(text)
		if dropped := i == 1 || i == 2 || i == 700; slices.Equal(x, y) == dropped {
			t.Errorf("the vector of text %d is as before: %v", i, !dropped)
		}
	}
	// All of it.
	var all []string
	for i := range texts {
		all = append(all, fmt.Sprintf("lamp%04d", i), fmt.Sprintf("harbour%04d", i%40))
	}
	all = append(all, strings.Fields("the keeper of and met ferry day 0 1 2 3 4 5 6")...)
	if err := local.Drop(s, put, remove, all); err != nil {
		t.Fatal(err)
	}
	if got, err = local.LoadTable(s); err != nil {
		t.Fatal(err)
	}
	if n := got.Head().Words; n > 8 {
		t.Errorf("%d words are left", n)
	}
	// A damaged row is refused, not dropped: the table is to be made again.
	s["row/a"] = []byte("damage")
	fail := errors.New("written")
	if err := local.Drop(s, func([]byte, []byte) error { return fail }, func([]byte) error { return fail }, []string{"a"}); !errors.Is(err, local.ErrTable) {
		t.Errorf("error of a damaged table: %v", err)
	}
}
