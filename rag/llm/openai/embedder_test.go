package openai_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// checkVectors compares vectors with those that the server has for the texts.
func checkVectors(t *testing.T, got [][]float32, texts []string, dim int) {
	t.Helper()
	if len(got) != len(texts) {
		t.Fatalf("%d vectors of %d texts", len(got), len(texts))
	}
	for i, s := range texts {
		want := llmtest.Vector(s, dim)
		if strings.TrimSpace(s) == "" {
			want = nil
		}
		if !slices.Equal(got[i], want) || (got[i] == nil) != (want == nil) {
			t.Fatalf("text %d: %v\nwant %v", i, got[i], want)
		}
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	many := texts(200)
	many[3], many[77] = "", " \n\t"
	for _, c := range []struct {
		name     string
		s        llmtest.Options
		o        openai.Options
		requests int
	}{
		{"batches", llmtest.Options{}, openai.Options{}, 4},
		{"batches of 50", llmtest.Options{}, openai.Options{BatchTexts: 50}, 4},
		{"one by one by tokens", llmtest.Options{}, openai.Options{BatchTokens: 1}, 198},
		{"by tokens", llmtest.Options{}, openai.Options{BatchTokens: 100, Count: func(string) int { return 10 }}, 20},
		{"shuffled", llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.Shuffled, Share: 1}}}, openai.Options{}, 4},
		{"without indexes", llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.NoIndex, Share: 1}}}, openai.Options{}, 4},
		{"429", llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.TooMany, At: []int{0, 2}}}}, openai.Options{}, 6},
		{"hang-up and cut", llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.Hangup, First: 1}, {Failure: llmtest.Cut, At: []int{2}}}}, openai.Options{}, 6},
		{"stall", llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.Stall, At: []int{1}}}}, openai.Options{Timeout: time.Second}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, server, _ := newEmbedder(t, c.s, 64, c.o)
			got, u, err := e.Embed(t.Context(), many)
			if err != nil {
				t.Fatal(err)
			}
			checkVectors(t, got, many, 64)
			answered := 0
			for _, r := range server.Requests() {
				if r.Status == 200 {
					answered++
				}
			}
			if n := server.Counters(); n.Requests != c.requests || u.Calls != answered || u.InTokens == 0 || n.Repeated != 0 {
				t.Errorf("%d requests, want %d; %+v", n.Requests, c.requests, u)
			}
		})
	}
}

func TestEmbedNothing(t *testing.T) {
	t.Parallel()
	e, server, _ := newEmbedder(t, llmtest.Options{}, 64, openai.Options{})
	for _, list := range [][]string{nil, {""}, {" ", "\n"}} {
		got, u, err := e.Embed(t.Context(), list)
		if err != nil || len(got) != len(list) || u != (llm.Usage{}) {
			t.Errorf("%q: %v, %+v, %v", list, got, u, err)
		}
	}
	if n := server.Counters().Requests; n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestBadVectors wants the position of the text: the server spoils the text in
// the middle of the batch that has "number c".
func TestBadVectors(t *testing.T) {
	t.Parallel()
	list := texts(26)
	list[0], list[5] = "", "" // positions count them
	for _, c := range []struct {
		failure  llmtest.Failure
		why      string
		requests int
	}{
		{llmtest.WrongDim, "65 components instead of 64", 1},
		{llmtest.ZeroVector, "zero", 1},
		{llmtest.NoVector, "missing", 1},
		{llmtest.NoChoice, "missing", 1},
		{llmtest.NaNVector, "not finite", 5},
	} {
		t.Run(string(c.failure), func(t *testing.T) {
			t.Parallel()
			fault := llmtest.Fault{Failure: c.failure, First: 1}
			want := 14 // of 24 sent texts the 12th, and two blank ones before
			switch c.failure {
			case llmtest.NoChoice:
				want = 1
			case llmtest.NaNVector: // of that text alone: found by cutting in two
				fault = llmtest.Fault{Failure: c.failure, Share: 1, Text: `"` + list[1] + `"`}
				want = 1
			}
			e, server, _ := newEmbedder(t, llmtest.Options{Plan: []llmtest.Fault{fault}}, 64, openai.Options{})
			_, u, err := e.Embed(t.Context(), list)
			var ve *openai.VectorError
			if !errors.As(err, &ve) || !errors.Is(err, llm.ErrReply) || ve.Text != want || !strings.Contains(ve.Why, c.why) {
				t.Fatalf("%v, %+v", err, ve)
			}
			if n := server.Counters().Requests; n != c.requests || u.Calls != n {
				t.Errorf("%d requests, want %d; %+v", n, c.requests, u)
			}
		})
	}
}

// TestRefusedText wants the text that the server refuses to be named.
func TestRefusedText(t *testing.T) {
	t.Parallel()
	list := texts(20)
	list[13] = "the poison"
	e, server, _ := newEmbedder(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.Refused, Share: 1, Text: "poison"}}}, 64, openai.Options{})
	_, _, err := e.Embed(t.Context(), list)
	var pe *openai.ProviderError
	if !errors.Is(err, llm.ErrRefused) || !errors.As(err, &pe) || pe.Status != 400 || !strings.Contains(err.Error(), "text 13: ") {
		t.Fatal(err)
	}
	// 20, 10, 10, 5, 2, 3, 1: each cut in two, the left part first.
	if n := server.Counters().Requests; n > 9 {
		t.Errorf("%d requests", n)
	}
	if _, _, err := e.Embed(t.Context(), list[:13]); err != nil {
		t.Errorf("without it: %v", err)
	}
}

// TestSmallBatches learns how many texts a server takes.
func TestSmallBatches(t *testing.T) {
	t.Parallel()
	list := texts(64)
	e, server, _ := newEmbedder(t, llmtest.Options{MaxTexts: 20}, 64, openai.Options{})
	for i, want := range []int{7, 4} { // 64, 32, 16, 16, 32, 16, 16; then 16 each
		server.Reset()
		got, _, err := e.Embed(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		checkVectors(t, got, list, 64)
		if n := server.Counters().Requests; n != want {
			t.Errorf("call %d: %d requests, want %d", i, n, want)
		}
	}
}

func TestDimension(t *testing.T) {
	t.Parallel()
	e, server, _ := newEmbedder(t, llmtest.Options{Dim: 96}, 0, openai.Options{})
	if _, _, err := e.Embed(t.Context(), []string{"a"}); !errors.Is(err, openai.ErrDimension) || server.Counters().Requests != 0 {
		t.Fatalf("%v, %d requests", err, server.Counters().Requests)
	}
	for i := range 2 {
		dim, u, err := e.Dimension(t.Context())
		if err != nil || dim != 96 || u.Calls != 1-i || e.Space() != (llm.SpaceInfo{Model: "m", Dim: 96}) {
			t.Errorf("%d, %+v, %v", dim, u, err)
		}
	}
	got, _, err := e.Embed(t.Context(), []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	checkVectors(t, got, []string{"a"}, 96)
	if n := server.Counters().Requests; n != 2 {
		t.Errorf("%d requests", n)
	}

	// A server of another dimension than the one that was given.
	other, _, _ := newEmbedder(t, llmtest.Options{Dim: 96}, 64, openai.Options{})
	var ve *openai.VectorError
	if _, _, err := other.Embed(t.Context(), []string{"", "a"}); !errors.As(err, &ve) || ve.Text != 1 {
		t.Error(err)
	}
	// One that is asked for it.
	asked, _, _ := newEmbedder(t, llmtest.Options{Dim: 96}, 64, openai.Options{AskDimension: true})
	if got, _, err := asked.Embed(t.Context(), []string{"a"}); err != nil || len(got[0]) != 64 {
		t.Error(err)
	}
}

func TestEmbedEnds(t *testing.T) {
	quick(t, func() time.Duration {
		server := llmtest.New(nil, llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.Stall, At: []int{3, 4, 5, 6, 7, 8}}}})
		defer server.Close()
		e, err := openai.NewEmbedder(openai.Config{BaseURL: server.URL, Model: "m"}, 64, openai.Options{BatchTexts: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		ctx, cancel := context.WithCancel(t.Context())
		var at time.Time
		var wg sync.WaitGroup
		wg.Go(func() {
			time.Sleep(100 * time.Millisecond)
			at = time.Now()
			cancel()
		})
		_, u, err := e.Embed(ctx, texts(100))
		wg.Wait()
		if !errors.Is(err, context.Canceled) || errors.Is(err, llm.ErrProvider) || u.Calls < 1 {
			t.Errorf("%v, %+v", err, u)
		}
		return time.Since(at)
	})
}

// TestEmbedStopsAtAnError sends nothing more after an error.
func TestEmbedStopsAtAnError(t *testing.T) {
	t.Parallel()
	e, server, _ := newEmbedder(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.NoQuota, At: []int{2}}}}, 64, openai.Options{BatchTexts: 1, Concurrency: 1})
	_, u, err := e.Embed(t.Context(), texts(50))
	if n := server.Counters().Requests; !errors.Is(err, llm.ErrProvider) || n != 3 || u.Calls != 2 {
		t.Errorf("%v, %d requests, %+v", err, n, u)
	}
}
