package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// rerankFlags say which model orders the evidence before it is packed.
type rerankFlags struct {
	model string
	ms    atLeastOne
}

func (f *rerankFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.Var(&rerankName{modelName{name: &f.model}}, "rerank", "order the evidence by a reranker: one of ragdb model list, file:DIR, or the `URL` of a server with /rerank (Cohere, Jina, llama.cpp, TEI); :top=50,model=NAME after it says more (also RAGDB_RERANK; key in RAGDB_RERANK_API_KEY)")
	fl.Var(&f.ms, "rerank-ms", "milliseconds that the reranker may take for a section; after that the order stays (default 10000 for a server, and for file:DIR as long as it takes)")
}

// rerankName is the flag for a reranker. A folder's path becomes absolute.
type rerankName struct{ modelName }

// Type implements [pflag.Value].
func (r *rerankName) Type() string { return "URL" }

// Set implements [pflag.Value].
func (r *rerankName) Set(s string) error {
	address, _, _, err := parseReranker(s)
	if err != nil {
		return err
	}
	if err := r.modelName.Set(address); err != nil {
		return err
	}
	*r.name += s[len(address):]
	return nil
}

// locate gives the model another form of its name.
func (r *rerankName) locate(find func(string) (string, error)) error {
	address, _, _, err := parseReranker(*r.name)
	if err != nil {
		return err
	}
	found, err := find(address)
	if address != "" {
		*r.name = found + (*r.name)[len(address):]
	}
	return err
}

// rerankOptions are what follows the address in --rerank.
var rerankOptions = regexp.MustCompile(`:((?:top|model)=[^,]*(?:,(?:top|model)=[^,]*)*)$`)

// parseReranker reads --rerank: the address, how many items the model sees, and
// the model's name.
func parseReranker(s string) (address string, top int, model string, err error) {
	m := rerankOptions.FindStringSubmatchIndex(s)
	if m == nil {
		return s, 0, "", nil
	}
	address = s[:m[0]]
	for _, o := range strings.Split(s[m[2]:m[3]], ",") {
		key, value, _ := strings.Cut(o, "=")
		if key == "model" {
			model = value
			continue
		}
		if top, err = strconv.Atoi(value); err != nil || top < 1 {
			return "", 0, "", fmt.Errorf("top is %q and must be a whole number above 0, as in http://localhost:8080/v1:top=50", value)
		}
	}
	return address, top, model, nil
}

// withReranker adds the reranker of the flags to models; without one they stay.
func (a *app) withReranker(c *rag.Corpus, m *rag.Models, f *rerankFlags) (*rag.Models, error) {
	p := m.Parts()
	var err error
	if p.Reranker, p.RerankTop, err = a.openReranker(f, openai.Options{Count: c.Tokens().Count}); err != nil || p.Reranker == nil {
		return m, err
	}
	p.RerankWithin = f.within()
	return m.With(p), nil
}

// rerankWithin is how long a server may take to order the evidence of a question.
const rerankWithin = 10 * time.Second

// within bounds the reranker's time for a section of a question's evidence.
func (f *rerankFlags) within() time.Duration {
	if address, _, _, _ := parseReranker(f.model); f.ms == 0 && !isHere(address) {
		return rerankWithin
	}
	return time.Duration(f.ms) * time.Millisecond
}

// openReranker opens the reranker of the flags, nil if they name none. o are options for
// one over the network.
func (a *app) openReranker(f *rerankFlags, o openai.Options) (llm.Reranker, int, error) {
	if f.model == "" {
		if f.ms > 0 {
			return nil, 0, usage("add --rerank", "--rerank-ms bounds a reranker, and there is none")
		}
		return nil, 0, nil
	}
	address, top, model, err := parseReranker(f.model)
	if err != nil {
		return nil, 0, err
	}
	if isHere(address) {
		m, err := a.modelIn(address, "--rerank")
		if err != nil {
			return nil, 0, err
		}
		if !m.Scores() {
			what, hint := "makes vectors", "name it with --embed-model"
			if m.Types() != nil {
				what, hint = "finds names", "name it with --extract-model"
			}
			return nil, 0, usage(hint, "%s %s and orders no passages", shown(address), what)
		}
		return m.Reranker(), top, nil
	}
	o.Log, o.Secrets = a.logger(), []string{a.env["RAGDB_RERANK_API_KEY"], a.env["OPENAI_API_KEY"]}
	r, err := openai.NewReranker(a.rerankConfig(address, model), o)
	if err != nil {
		return nil, 0, err
	}
	return r, top, nil
}

func (a *app) rerankConfig(address, model string) openai.Config {
	return openai.Config{BaseURL: address, Key: a.env["RAGDB_RERANK_API_KEY"], Model: model}
}

// checkReranker has the reranker score two passages, as a check.
func (a *app) checkReranker(ctx context.Context, f *rerankFlags) (modelCheck, bool) {
	if f.model == "" {
		return modelCheck{}, false
	}
	m := modelCheck{Role: "rerank", Model: f.model, URL: f.model, OK: true}
	r, _, err := a.openReranker(f, openai.Options{Retries: -1})
	if err == nil {
		m.Model = cmp.Or(r.Name(), f.model)
		m.URL, _, _, _ = parseReranker(f.model)
		m.URL, _ = cutSum(m.URL)
		ctx, cancel := context.WithTimeout(ctx, doctorPatience)
		defer cancel()
		_, _, err = r.Rerank(ctx, "What is the capital of France?", []string{"The capital of France is Paris.", "Bread is made of flour."})
	}
	if err != nil {
		m.OK, m.Error = false, service.Message(err)
	}
	return m, true
}
