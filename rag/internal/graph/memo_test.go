package graph_test

import (
	"errors"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/graph"
)

// TestMemo: what was read is not read again, what failed or does not fit is.
func TestMemo(t *testing.T) {
	t.Parallel()
	read := 0
	get := func(m *graph.Memo[int, string], k int, v string, err error) string {
		t.Helper()
		got, gerr := m.Get(k, func() (string, error) {
			read++
			return v, err
		})
		if read > 0 && !errors.Is(gerr, err) {
			t.Errorf("error %v, want %v", gerr, err)
		}
		return got
	}
	odd := errors.New("odd")
	all := &graph.Memo[int, string]{}
	some := &graph.Memo[int, string]{Most: 5, Size: func(s string) int { return len(s) }}
	for i, step := range []struct {
		m    *graph.Memo[int, string]
		k    int
		v    string
		err  error
		want string
		read int
	}{
		{all, 1, "a", nil, "a", 1},
		{all, 1, "b", nil, "a", 0},
		{all, 2, "", odd, "", 1},
		{all, 2, "c", nil, "c", 1},
		{all, 2, "d", nil, "c", 0},
		{some, 1, "abc", nil, "abc", 1},
		{some, 2, "def", nil, "def", 1}, // has no room
		{some, 2, "gh", nil, "gh", 1},
		{some, 2, "i", nil, "gh", 0},
		{some, 1, "i", nil, "abc", 0},
		{some, 3, "", nil, "", 1},
		{some, 3, "i", nil, "", 0},
	} {
		read = 0
		if got := get(step.m, step.k, step.v, step.err); got != step.want || read != step.read {
			t.Errorf("step %d: %q, read %d times; want %q, %d", i, got, read, step.want, step.read)
		}
	}
}
