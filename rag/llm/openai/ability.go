package openai

import (
	"encoding/json"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/ragdb/ragdb/rag/llm"
)

// ability is what a server is known not to take, from its refusals.
type ability struct {
	mode          JSONMode // how it is asked for JSON: not JSONAuto
	newLimit      bool     // max_completion_tokens rather than max_tokens
	noTemperature bool
	noStreamUsage bool
}

// firstAbility is what a server is thought to take before it was asked.
func firstAbility(model string, o Options) ability {
	a := ability{mode: max(o.JSON, JSONSchema)}
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, prefix) {
			a.newLimit, a.noTemperature = true, true
		}
	}
	return a
}

// less returns what may be taken after a refusal of a; ok is false if the
// refusal was not for the way of asking. structured says that JSON was asked
// for, stream that the reply was to come in pieces, and fixed that the way to
// ask for JSON is given.
func (a ability) less(detail string, structured, stream, fixed bool) (_ ability, ok bool) {
	switch {
	case has(detail, contextWords...), has(detail, "content_filter", "content management"):
		return a, false
	case has(detail, "max_completion_tokens", "max_tokens") && !a.newLimit:
		a.newLimit = true
	case has(detail, "temperature") && !a.noTemperature:
		a.noTemperature = true
	case stream && has(detail, "stream_options", "include_usage") && !a.noStreamUsage:
		a.noStreamUsage = true
	case structured && !fixed && a.mode < JSONNone:
		a.mode++
	default:
		return a, false
	}
	return a, true
}

// and returns what both take.
func (a ability) and(b ability) ability {
	return ability{max(a.mode, b.mode), a.newLimit || b.newLimit, a.noTemperature || b.noTemperature, a.noStreamUsage || b.noStreamUsage}
}

// leastTemperature stands for 0, which would be left out, so that the server took its
// own. Servers divide by it: by much less, llama.cpp draws words at random.
const leastTemperature = 1e-6

// request makes the request for a task.
func (a ability) request(model string, t llm.Task, messages []llm.Message, o Options) api.ChatCompletionRequest {
	r := api.ChatCompletionRequest{Model: model}
	limit := t.MaxTokens
	if limit == 0 {
		limit = o.MaxTokens
	}
	if a.newLimit {
		r.MaxCompletionTokens = limit
	} else {
		r.MaxTokens = limit
	}
	if !a.noTemperature {
		r.Temperature = max(o.Temperature, leastTemperature)
	}
	schema := ""
	if t.Kind.JSON() {
		switch {
		case a.mode == JSONSchema && t.Schema != nil:
			r.ResponseFormat = &api.ChatCompletionResponseFormat{
				Type: api.ChatCompletionResponseFormatTypeJSONSchema,
				JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{
					Name: string(t.Kind), Schema: json.RawMessage(t.Schema), Strict: strict(t.Schema)},
			}
		case a.mode <= JSONObject:
			r.ResponseFormat = &api.ChatCompletionResponseFormat{Type: api.ChatCompletionResponseFormatTypeJSONObject}
			fallthrough
		default:
			schema = "\n\nReply with one JSON object and nothing else."
			if t.Schema != nil {
				schema = "\n\nReply with one JSON object and nothing else. Its JSON schema is:\n" + string(t.Schema)
			}
		}
	}
	last := -1
	for i, m := range messages {
		r.Messages = append(r.Messages, api.ChatCompletionMessage{Role: m.Role, Content: m.Content})
		if m.Role == api.ChatMessageRoleUser {
			last = i
		}
	}
	// Some models take a system message at the beginning only.
	if last >= 0 {
		r.Messages[last].Content += schema
	}
	return r
}

// strict reports whether a schema is of the form that servers want for strict
// output: every object lists all of its fields as required and allows no
// others.
func strict(schema []byte) bool {
	var v any
	return json.Unmarshal(schema, &v) == nil && strictValue(v)
}

func strictValue(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if !strictValue(x) {
				return false
			}
		}
	case map[string]any:
		if properties, ok := v["properties"].(map[string]any); ok {
			required, _ := v["required"].([]any)
			if v["additionalProperties"] != false || len(required) != len(properties) {
				return false
			}
			for _, name := range required {
				s, _ := name.(string)
				if _, ok := properties[s]; !ok {
					return false
				}
			}
		}
		for _, x := range v {
			if !strictValue(x) {
				return false
			}
		}
	}
	return true
}
