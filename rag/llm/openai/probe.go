package openai

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/ragdb/ragdb/rag/llm"
)

// Capabilities is what a server turned out to offer for a model.
type Capabilities struct {
	// Reachable says that the server answered at all.
	Reachable bool `json:"reachable"`
	// Models are the names that the server lists, in order; nil if it does
	// not list any.
	Models []string `json:"models,omitempty"`
	// Listed says that the model is among them.
	Listed bool `json:"listed"`
	// ContextLength is the model's in tokens, 0 if the server does not tell.
	ContextLength int `json:"context_length,omitempty"`
	// Chat says that the model answers, JSON how it is to be asked for JSON.
	Chat bool     `json:"chat"`
	JSON JSONMode `json:"-"`
	// Dim is the dimension of the model's vectors, 0 if it has none.
	Dim int `json:"dim,omitempty"`
	// Usage is what the probe cost.
	Usage llm.Usage `json:"usage"`
}

// Probe asks a server what it offers for a model: its list of models, one short
// answer in JSON, and the vector of one word. Nothing is tried again. The error
// is that of the answer if the model neither answers nor embeds, and an
// [ErrConfig].
func Probe(ctx context.Context, cfg Config, o Options) (Capabilities, error) {
	var found Capabilities
	o.Retries, o.ReAsks = -1, -1
	list, err := newClient(cfg, o)
	if err != nil {
		return found, err
	}
	defer list.close()
	o.Transport, o.Limiter = list.transport, list.o.Limiter
	if err := list.models(ctx, &found); err != nil {
		return found, phase.Errorf("probe: %w", err)
	}
	found.Reachable = true

	chat, err := NewChat(cfg, o)
	if err != nil {
		return found, err
	}
	_, u, chatErr := chat.Do(ctx, llm.Task{
		Kind:   llm.QueryElements,
		Prompt: []llm.Message{{Role: "user", Content: `Which names are in the question? Reply in JSON: {"entities": ["..."]}` + "\n\nWho was Ada Lovelace?"}},
		Schema: []byte(`{"type":"object","properties":{"entities":{"type":"array","items":{"type":"string"}}},"required":["entities"],"additionalProperties":false}`),
		// A small model may repeat itself without end; one that thinks wants some room.
		MaxTokens: 500,
	})
	found.Usage.Add(u)
	found.Chat, found.JSON = u.Calls > 0, chat.JSON()

	embedder, err := NewEmbedder(cfg, 0, o)
	if err != nil {
		return found, err
	}
	dim, u, embedErr := embedder.Dimension(ctx)
	found.Usage.Add(u)
	found.Dim = dim
	if err := ctx.Err(); err != nil {
		return found, phase.Errorf("probe: %w", err)
	}
	if !found.Chat && embedErr != nil {
		return found, chatErr
	}
	return found, nil
}

// models reads the list of models. An error says that there was no answer.
func (c *client) models(ctx context.Context, found *Capabilities) error {
	x := &exchange{}
	rctx, cancel := within(ctx, x, c.o.Timeout)
	defer cancel()
	body, err := c.receive(rctx, x, http.MethodGet, c.base+"/models", nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if x.status == 0 {
		return c.classify(errors.Join(context.Cause(rctx), err), x, false).ProviderError
	}
	// The list with what servers add to it: vLLM, OpenRouter, llama.cpp. Together's is bare.
	type model struct {
		ID            string `json:"id"`
		Owner         string `json:"owned_by"`
		MaxModelLen   amount `json:"max_model_len"`
		ContextLength amount `json:"context_length"`
		ContextWindow amount `json:"context_window"`
		Meta          struct {
			Context      amount `json:"n_ctx"`
			ContextTrain amount `json:"n_ctx_train"`
		} `json:"meta"`
	}
	var reply struct {
		Data list[model] `json:"data"`
	}
	if err != nil || decode(body, &reply) != nil || reply.Data == nil && decode(body, (*[]model)(&reply.Data)) != nil {
		return nil
	}
	for _, m := range reply.Data {
		found.Models = append(found.Models, m.ID)
		// A server of one model serves it under any name.
		if m.ID != c.model && (len(reply.Data) > 1 || m.Owner != "llamacpp") {
			continue
		}
		found.Listed = found.Listed || m.ID == c.model
		found.ContextLength = c.serverContext(ctx, m.Owner)
		for _, n := range []amount{m.MaxModelLen, m.ContextLength, m.ContextWindow, m.Meta.Context, m.Meta.ContextTrain} {
			if found.ContextLength == 0 {
				found.ContextLength = n.count()
			}
		}
	}
	slices.Sort(found.Models)
	return nil
}
