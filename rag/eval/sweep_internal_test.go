package eval

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestParseSweep(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want, err string }{
		{"theta=0:1:0.25", "theta [0.00 0.25 0.50 0.75 1.00]", ""},
		{"k=1:10:3", "k [1 4 7 10]", ""},
		{"k=1:9:3", "k [1 4 7]", ""},
		{"beta=0.1:0.3:0.1", "beta [0.1 0.2 0.3]", ""},
		{" size = 5:5:1 ", "size [5]", ""},
		{"x=-1:1:1", "x [-1 0 1]", ""},
		{"augment=knn|codicil| off", "augment [knn codicil off]", ""},
		{"chunks=cl100k/300/0/paragraph", "chunks [cl100k/300/0/paragraph]", ""},
		{"theta", "", "is not key="},
		{"=1:2:1", "", "is not key="},
		{"theta=", "", "is not key="},
		{"theta=0:1", "", "from:to:step"},
		{"theta=0:1:0", "", "by a step above 0"},
		{"theta=0:1:-1", "", "by a step above 0"},
		{"theta=1:0:0.1", "", "goes up"},
		{"theta=a:b:c", "", `"a" is no number`},
		{"theta=0:NaN:1", "", `"NaN" is no number`},
		{"theta=0:1:0.0001", "", "more than 1000 values"},
		{"augment=knn||off", "", "an empty value"},
	}
	for _, tt := range tests {
		w, err := ParseSweep(tt.in)
		if tt.err != "" {
			if err == nil || !errors.As(err, new(*OptionError)) || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %s", tt.in, err, tt.err)
			}
			continue
		}
		if got := fmt.Sprint(w.Key, " ", w.Values); err != nil || got != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.in, got, err, tt.want)
		}
	}
}
