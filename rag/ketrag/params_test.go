package ketrag_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/method"
)

func TestParams(t *testing.T) {
	t.Parallel()
	c := open(t)
	defaults := map[string]string{
		"chunks": "cl100k/300/0/paragraph", "k": "2", "df": "0.05", "similarity": "product", "beta": "0.8", "core": "pagerank", "read": "texts", "unit": "1200", "glean": "0",
		"compat": "false", "theta": "0.4", "seeds": "10", "probe": "1000", "channel": "keyword", "describe": "over", "slack": "0.1", "rank": "hybrid", "order": "fused",
	}
	for _, x := range []struct {
		spec, instance string
		differs        map[string]string
	}{
		{"ketrag", "ketrag", nil},
		{"ketrag:profile=default", "ketrag", nil},
		{"ketrag:theta=.25,seeds=3,probe=5,channel=text", "ketrag",
			map[string]string{"theta": "0.25", "seeds": "3", "probe": "5", "channel": "text"}},
		{"ketrag:beta=0.80", "ketrag", nil},
		{"ketrag:beta=.4,k=4", "ketrag#beta=0.4,k=4", map[string]string{"beta": "0.4", "k": "4"}},
		{"ketrag:profile=low", "ketrag#chunks=cl100k/1200/100/window/150,describe=always,read=core", map[string]string{"chunks": "cl100k/1200/100/window/150", "read": "core", "describe": "always", "rank": "vector", "order": "paper"}},
		{"ketrag:profile=paper", "ketrag#chunks=cl100k/1200/100/window/150,describe=always,read=core", map[string]string{"chunks": "cl100k/1200/100/window/150", "read": "core", "describe": "always", "rank": "vector", "order": "paper"}},
		{"ketrag:profile=high", "ketrag#chunks=cl100k/150/100/window,describe=always,read=core", map[string]string{"chunks": "cl100k/150/100/window", "read": "core", "describe": "always", "rank": "vector", "order": "paper"}},
		{"ketrag:profile=high,chunks=cl100k/80/0/paragraph", "ketrag#chunks=cl100k/80/0/paragraph,describe=always,read=core",
			map[string]string{"chunks": "cl100k/80/0/paragraph", "read": "core", "describe": "always", "rank": "vector", "order": "paper"}},
		{"ketrag:compat=true", "ketrag#compat=true", map[string]string{"compat": "true", "describe": "always", "seeds": "20", "rank": "vector", "order": "paper"}},
		{"ketrag:compat=true,seeds=7", "ketrag#compat=true", map[string]string{"compat": "true", "describe": "always", "seeds": "7", "rank": "vector", "order": "paper"}},
		{"ketrag:core=uniform", "ketrag#core=uniform", map[string]string{"core": "uniform"}},
	} {
		t.Run(x.spec, func(t *testing.T) {
			sys := c.System(t, x.spec)
			want := maps.Clone(defaults)
			maps.Copy(want, x.differs)
			if got := sys.Params(); !maps.Equal(got, want) {
				t.Errorf("parameters %v, want %v", got, want)
			}
			if sys.Instance() != x.instance || sys.Graph().Name() != x.instance {
				t.Errorf("instance %s in graph %s, want %s", sys.Instance(), sys.Graph().Name(), x.instance)
			}
			if sys.ChunkSet().String() != want["chunks"] {
				t.Errorf("chunk set %s, want %s", sys.ChunkSet(), want["chunks"])
			}
			// What is written of an instance reads as the same instance.
			spec, err := method.ParseInstance(sys.Instance())
			if err != nil {
				t.Fatal(err)
			}
			again, err := c.Methods.Open(t.Context(), c.Corpus.Docs(), spec)
			if err != nil {
				t.Fatal(err)
			}
			if again.Instance() != sys.Instance() {
				t.Errorf("%s reads as %s", sys.Instance(), again.Instance())
			}
		})
	}
}

// TestParamsRefused says that what is wrong is refused, with what there is.
func TestParamsRefused(t *testing.T) {
	t.Parallel()
	c := open(t)
	for _, x := range []struct{ param, value, says string }{
		{"alpha", "1", "beta, channel, chunks, compat, core, describe, df, glean, k, order, probe, rank, read, seeds, similarity, slack, style, theta, types, unit"},
		{"profile", "middle", "default, high, low, paper"},
		{"chunks", "150", "cl100k/300/0/paragraph"},
		{"beta", "1.01", "from 0 to 1"},
		{"beta", "-0.1", "from 0 to 1"},
		{"beta", "NaN", "from 0 to 1"},
		{"beta", "much", "from 0 to 1"},
		{"theta", "2", "from 0 to 1"},
		{"k", "-1", "from 0 to 64"},
		{"k", "65", "from 0 to 64"},
		{"k", "2.5", "from 0 to 64"},
		{"unit", "0", "from 1 to"},
		{"seeds", "0", "from 1 to"},
		{"probe", "0", "from 1 to"},
		{"core", "random", "pagerank, uniform"},
		{"channel", "graph", "keyword, text"},
		{"compat", "yes", "false, true"},
	} {
		t.Run(x.param+"="+x.value, func(t *testing.T) {
			_, err := c.Methods.Open(t.Context(), c.Corpus.Docs(), method.Spec{Name: "ketrag", Params: map[string]string{x.param: x.value}})
			if !errors.Is(err, method.ErrMethod) || !strings.Contains(err.Error(), x.says) {
				t.Errorf("error %v, want one that says %q", err, x.says)
			}
			if err != nil && x.param != "profile" && !strings.Contains(err.Error(), x.param) {
				t.Errorf("error %v does not name %s", err, x.param)
			}
		})
	}
}
