package eval

import (
	"fmt"
	"testing"
)

func TestSample(t *testing.T) {
	t.Parallel()
	var all []question
	for i := range 10 {
		all = append(all, question{ID: fmt.Sprint(i)})
	}
	for n, want := range map[int]string{1: "0", 3: "0 3 6", 4: "0 2 5 7", 10: "0 1 2 3 4 5 6 7 8 9", 99: "0 1 2 3 4 5 6 7 8 9"} {
		got := ""
		for _, q := range sample(all, n) {
			got += " " + q.ID
		}
		if got != " "+want {
			t.Errorf("%d of 10: %s, want %s", n, got, want)
		}
	}
}
