package api

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strings"

	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag/method"
)

// modelOperations are for clients of OpenAI's interface: a method of a namespace is a
// model.
func modelOperations() []*operation {
	return []*operation{
		define(operation{method: http.MethodGet, path: "/v1/models", id: "listModels", tag: modelsTag, role: Read,
			summary: "List the namespaces and methods that can be asked, as models", about: "A model is NAMESPACE/METHOD, or DATABASE/NAMESPACE/METHOD; without METHOD it is the namespace's own."}, (*call).listModels),
		define(operation{method: http.MethodPost, path: "/v1/chat/completions", id: "createChatCompletion", tag: modelsTag, role: Read, heavy: true, lenient: true, streams: eventStream,
			summary: "Answer the last question of a conversation from the documents",
			about:   "The question is made whole from the conversation first. Sources are annotations of the answer, and stand below it. With stream the answer comes as events, as OpenAI's clients read them. Parameters that are not listed are not looked at."}, (*call).chat),
		define(operation{method: http.MethodPost, path: "/v1/embeddings", id: "createEmbedding", tag: modelsTag, role: Read, heavy: true, lenient: true,
			summary: "Vectors of texts, by the model that embeds the questions of a namespace"}, (*call).embeddings),
	}
}

// modelsTag marks operations whose errors are as OpenAI's clients read them.
const modelsTag = "models"

// openAIError is an error as OpenAI's clients read it.
type openAIError struct {
	Error struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code"`
	} `json:"error"`
}

func (p *Problem) forOpenAI() *openAIError {
	e := &openAIError{}
	e.Error.Message, e.Error.Code, e.Error.Type = p.Detail, p.Code, "invalid_request_error"
	if p.Hint != "" {
		e.Error.Message += "; " + p.Hint
	}
	switch {
	case p.Status >= http.StatusInternalServerError:
		e.Error.Type = "server_error"
	case p.Status == http.StatusUnauthorized:
		e.Error.Type = "authentication_error"
	}
	return e
}

// ModelList lists models as OpenAI's clients read it.
type ModelList struct {
	Object string     `json:"object" schema:"enum=list"`
	Data   []ModelRow `json:"data"`
}

// ModelRow is a model.
type ModelRow struct {
	ID      string `json:"id"`
	Object  string `json:"object" schema:"enum=model"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func (c *call) listModels(ctx context.Context, _ *nothing) (*ModelList, error) {
	names, err := c.models(ctx)
	if err != nil {
		return nil, err
	}
	out := &ModelList{Object: "list", Data: []ModelRow{}}
	for _, name := range names {
		out.Data = append(out.Data, ModelRow{ID: name, Object: "model", Created: c.s.began, OwnedBy: "ragdb"})
	}
	return out, nil
}

// models names the models that the request may ask.
func (c *call) models(ctx context.Context) (out []string, err error) {
	for _, d := range c.s.o.Databases {
		all, err := d.Namespaces(ctx)
		if err != nil {
			return nil, err
		}
		for _, ns := range all {
			if !c.grant.Sees(d.Name, ns.NS) {
				continue
			}
			corpus, err := d.Corpus(ctx, ns.NS)
			if err != nil {
				return nil, err
			}
			names, err := corpus.Askable(ctx)
			if err != nil {
				return nil, err
			}
			prefix := ns.NS
			if len(c.s.o.Databases) > 1 {
				prefix = d.Name + "/" + ns.NS
			}
			for _, name := range names {
				out = append(out, prefix+"/"+name)
			}
		}
	}
	return out, nil
}

// model finds the namespace and the method that the name of a model means.
func (c *call) model(ctx context.Context, name string) (corpusPath, *service.Corpus, string, error) {
	unknown := func() error {
		have, err := c.models(ctx)
		if err != nil {
			return err
		}
		return refuse("not_found", "", fault.Text("there is no model %q; ", name)+listed(have))
	}
	for _, d := range c.s.o.Databases {
		rest := name
		if len(c.s.o.Databases) > 1 {
			var ok bool
			if rest, ok = strings.CutPrefix(name, d.Name+"/"); !ok {
				continue
			}
		} else {
			rest = strings.TrimPrefix(rest, d.Name+"/")
		}
		ns, methodName, _ := strings.Cut(rest, "/")
		at := corpusPath{DB: d.Name, NS: ns}
		_, corpus, err := c.corpus(ctx, at)
		var e *service.Error
		if errors.As(err, &e) && e.Code == "not_found" {
			return at, nil, "", unknown()
		}
		if err != nil {
			return at, nil, "", err
		}
		if methodName != "" {
			spec, err := method.ParseSpec(methodName)
			if err != nil || corpus.Methods[spec.Name] == nil {
				return at, nil, "", unknown()
			}
		}
		return at, corpus, methodName, nil
	}
	return corpusPath{}, nil, "", unknown()
}

// listed names the models that there are, for people whose client shows no more than the
// error.
func listed(models []string) string {
	const most = 20
	switch n := len(models); {
	case n == 0:
		return "there are none"
	case n > most:
		return "there are " + strings.Join(models[:most], ", ") + " and more, which GET /v1/models lists"
	}
	return "there are " + strings.Join(models, ", ")
}

type embeddingsIn struct {
	// Model is NAMESPACE, with any method behind it.
	Model string `json:"model" schema:"minlen=1,maxlen=500"`
	// Input is a text, or a list of texts.
	Input json.RawMessage `json:"input"`
	// EncodingFormat is float or base64.
	EncodingFormat string `json:"encoding_format,omitempty" schema:"enum=|float|base64"`
}

// Embeddings are vectors as OpenAI's clients read them.
type Embeddings struct {
	Object string         `json:"object" schema:"enum=list"`
	Data   []EmbeddingRow `json:"data"`
	Model  string         `json:"model"`
	Usage  TokenUsage     `json:"usage"`
}

// EmbeddingRow is a vector: a list of numbers, or base64 of their little-endian bytes.
type EmbeddingRow struct {
	Object    string `json:"object" schema:"enum=embedding"`
	Index     int    `json:"index"`
	Embedding any    `json:"embedding"`
}

// TokenUsage counts tokens.
type TokenUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens,omitempty"`
	TotalTokens      int `json:"total_tokens"`
}

// mostInputs is how many texts are embedded in one request.
const mostInputs = 2048

func (c *call) embeddings(ctx context.Context, in *embeddingsIn) (*Embeddings, error) {
	_, corpus, _, err := c.model(ctx, in.Model)
	if err != nil {
		return nil, err
	}
	texts, err := inputs(in.Input)
	if err != nil {
		return nil, err
	}
	m, err := corpus.Models(ctx, false)
	if err != nil {
		return nil, err
	}
	if m.Questions() == nil {
		return nil, refuse("not_indexed", "", "the namespace has no model that embeds")
	}
	out := &Embeddings{Object: "list", Data: []EmbeddingRow{}, Model: m.QuestionSpace().Model}
	for i, t := range texts {
		v, err := m.EmbedQuestion(ctx, t)
		if err != nil {
			return nil, err
		}
		if v == nil {
			v = make([]float32, m.QuestionSpace().Dim) // a text in which there is nothing to embed
		}
		row := EmbeddingRow{Object: "embedding", Index: i, Embedding: v}
		if in.EncodingFormat == "base64" {
			b := make([]byte, 0, 4*len(v))
			for _, x := range v {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
			}
			row.Embedding = base64.StdEncoding.EncodeToString(b)
		}
		out.Data = append(out.Data, row)
		out.Usage.PromptTokens += corpus.Tokens().Count(t)
	}
	out.Usage.TotalTokens = out.Usage.PromptTokens
	return out, nil
}

// inputs reads a text or a list of texts.
func inputs(raw json.RawMessage) ([]string, error) {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, nil
	}
	var many []string
	if json.Unmarshal(raw, &many) != nil {
		return nil, &service.Error{Code: "usage", Message: "input is neither a text nor a list of texts", Hint: "lists of tokens are not taken"}
	}
	if len(many) == 0 || len(many) > mostInputs {
		return nil, &service.Error{Code: "usage", Message: "input has no text, or more than 2,048"}
	}
	return many, nil
}
