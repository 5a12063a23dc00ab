package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	api "github.com/sashabaranov/go-openai"

	"github.com/ragdb/ragdb/rag/llm"
)

// Chat answers tasks by a chat model. It is safe for concurrent use.
type Chat struct {
	c      *client
	window window

	// mu guards able.
	mu   sync.Mutex
	able ability
}

var _ llm.Provider = (*Chat)(nil)

// NewChat returns a chat; nothing is sent. The error is an [ErrConfig].
func NewChat(cfg Config, o Options) (*Chat, error) {
	c, err := newClient(cfg, o)
	if err != nil {
		return nil, err
	}
	chat := &Chat{c: c, able: firstAbility(cfg.Model, c.o)}
	chat.window.set(c.o.Context)
	return chat, nil
}

// Name implements [llm.Provider]: the model's name. Where it is served does not
// change what was paid for.
func (c *Chat) Name() string { return c.c.model }

// Can implements [llm.Provider]: every kind that there is.
func (c *Chat) Can(k llm.Kind) bool { return k.Known() }

// String names the model and its server.
func (c *Chat) String() string { return "chat " + c.c.model + " at " + c.c.host }

// Format implements [fmt.Formatter]: every verb prints String.
func (c *Chat) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// Close closes idle connections. The chat can be used again.
func (c *Chat) Close() { c.c.close() }

// JSON returns how the server is asked for JSON at present.
func (c *Chat) JSON() JSONMode { return c.ability().mode }

func (c *Chat) ability() ability {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.able
}

// learn keeps what a server turned out not to take.
func (c *Chat) learn(ctx context.Context, a ability) {
	c.mu.Lock()
	old := c.able
	c.able = old.and(a)
	now := c.able
	c.mu.Unlock()
	if old != now {
		c.c.o.Log.LogAttrs(ctx, slog.LevelInfo, "the server does not take all parameters", slog.String("model", c.c.model),
			slog.String("json", now.mode.String()), slog.Bool("max_completion_tokens", now.newLimit),
			slog.Bool("temperature", !now.noTemperature))
	}
}

// Do implements [llm.Provider]. The reply is what [llm.CheckReply] and
// [llm.Reply.WithoutEchoes] make of the model's; one that it refuses is asked for again, with the reason. If an
// extraction met the limit of its length, what is complete of it is used, and the
// model is asked once for the rest. The usage counts all requests that were
// answered, also if there is an error, and what was mended.
//
// Reasoning is not given to the task's Stream. What is JSON is given to it in one
// piece, when it is complete. When a stream breaks off after a piece was given,
// nothing is asked again.
//
// Errors are [llm.ErrKind]; the context's; a [*llm.ReplyError] with the last
// reply; a [*llm.TooLongError] if the prompt does not fit the model's context,
// which nothing is sent for if the context is known; and a [*ProviderError], which is [llm.ErrRefused] if it concerns this
// task alone, Retryable if a stream broke off, and [llm.ErrProvider] elsewhere.
func (c *Chat) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	var sum llm.Usage
	live := t.Stream
	if t.Kind.JSON() {
		live = nil
	}
	reply, err := c.ask(ctx, t, &sum, live)
	if err == nil {
		reply, err = c.goOn(ctx, t, reply, &sum)
	}
	if err == nil && live == nil && t.Stream != nil {
		err = t.Stream(reply.Text)
	}
	if err != nil {
		return llm.Reply{}, sum, phase.Errorf("%s: %w", t.Kind, err)
	}
	sum.Mending.Add(reply.Mending)
	return reply, sum, nil
}

// warmer returns the least temperature of an attempt: the most repeatable reply has
// been had by the first.
func warmer(ask int) float32 { return min(.4*float32(ask), .8) }

// maxQuoted bounds how much of an unusable reply is shown to the model again,
// in bytes.
const maxQuoted = 4000

// ask asks until there is a usable reply. If onToken is given, the reply
// comes in pieces.
func (c *Chat) ask(ctx context.Context, t llm.Task, sum *llm.Usage, onToken func(string) error) (llm.Reply, error) {
	if !c.Can(t.Kind) {
		return llm.Reply{}, llm.ErrKind
	}
	if len(t.Prompt) == 0 {
		return llm.Reply{}, errors.New("the task has no prompt")
	}
	messages := t.Prompt
	var refused error // why the last reply was
	for ask := 0; ; ask++ {
		a, err := c.complete(ctx, t, messages, sum, warmer(ask), onToken)
		if err != nil {
			if long := (*llm.TooLongError)(nil); refused != nil && errors.As(err, &long) {
				return llm.Reply{}, refused // there is no room to tell the model why
			}
			return llm.Reply{}, providerError(err)
		}
		reply, err := llm.CheckReply(t.Kind, a.text)
		if err == nil {
			reply, err = reply.WithoutEchoes(t)
		}
		if err == nil {
			return reply, nil
		}
		refused = err
		var re *llm.ReplyError
		if errors.As(err, &re) {
			a.explain(re, c.c.oneLine)
		}
		if ask >= c.c.o.ReAsks || a.begun || re != nil && re.Final {
			return llm.Reply{}, err
		}
		c.c.o.Log.LogAttrs(ctx, slog.LevelWarn, "unusable reply, asking again", slog.String("model", c.c.model),
			slog.String("kind", string(t.Kind)), slog.Int("ask", ask+1))
		sum.Again++
		messages = append([]llm.Message{}, t.Prompt...)
		// A model that repeats itself until it is cut off would do so again if it read it.
		if quoted := strings.ToValidUTF8(a.text[:min(len(a.text), maxQuoted)], ""); quoted != "" && a.finish != api.FinishReasonLength {
			messages = append(messages, llm.Message{Role: "assistant", Content: quoted})
		}
		messages = append(messages, llm.Message{Role: "user", Content: complaint(t.Kind, re)})
	}
}

// goOn asks for the rest of a reply that was cut off, if it is one whose worth is
// that nothing is left out. It asks once: a model that repeats itself would never
// end. If the model gives no rest that can be used, the reply stays as it is.
func (c *Chat) goOn(ctx context.Context, t llm.Task, r llm.Reply, sum *llm.Usage) (llm.Reply, error) {
	if r.Mending.Salvaged == 0 || r.Mending.Dropped > 0 || c.c.o.ReAsks <= 0 {
		return r, nil
	}
	switch t.Kind {
	case llm.Extract, llm.Glean, llm.Decompose, llm.SummaryEntities:
	default:
		return r, nil
	}
	messages := append(slices.Clip(t.Prompt),
		llm.Message{Role: "assistant", Content: r.Text},
		llm.Message{Role: "user", Content: "Your reply was cut off at the limit of its length. Above is what was complete of it. " +
			"Reply with what is missing, in the same form, and repeat nothing."})
	sum.Again++
	a, err := c.complete(ctx, t, messages, sum, 0, nil)
	if err != nil {
		if ctx.Err() != nil {
			return llm.Reply{}, providerError(err)
		}
		return r, nil
	}
	rest, err := llm.CheckReply(t.Kind, a.text)
	if err == nil {
		rest, err = rest.WithoutEchoes(t)
	}
	if err != nil {
		return r, nil
	}
	all, err := r.Join(t.Kind, rest)
	if err != nil {
		return r, nil
	}
	all.Mending = llm.Mending{Mended: 1, Salvaged: rest.Mending.Salvaged, Dropped: rest.Mending.Dropped}
	return all, nil
}

// complaint tells a model what is wrong with its reply.
func complaint(k llm.Kind, e *llm.ReplyError) string {
	why, form := "it is of no use", "the text that was asked for"
	if e != nil {
		why = e.Why
	}
	if k.JSON() {
		form = "one JSON object in the form that was asked for"
	}
	return "Your reply cannot be used: " + why + ". Reply again, with " + form + " and nothing else."
}

// complete gets one answer, in the way that the server takes.
func (c *Chat) complete(ctx context.Context, t llm.Task, messages []llm.Message, sum *llm.Usage, warmth float32, onToken func(string) error) (*answer, error) {
	structured := t.Kind.JSON()
	able := c.ability()
	c.learnContext(ctx)
	for {
		req, in, err := c.request(able, t, messages)
		if err != nil {
			return nil, err
		}
		if req.Temperature > 0 {
			req.Temperature = max(req.Temperature, warmth)
		}
		var a *answer
		if req.Stream = onToken != nil; req.Stream && !able.noStreamUsage {
			req.StreamOptions = &api.StreamOptions{IncludeUsage: true}
		}
		err = c.c.call(ctx, in+req.MaxTokens+req.MaxCompletionTokens, func(ctx context.Context, x *exchange) (used int, err error) {
			var u llm.Usage
			a, u, err = c.once(ctx, x, req, in, onToken)
			sum.Add(u)
			if err == nil {
				c.window.counted(in, u.InTokens)
			}
			return u.InTokens + u.OutTokens, err
		})
		if err == nil {
			c.learn(ctx, able)
			return a, nil
		}
		var f *failure
		if !errors.As(err, &f) || !f.Refused || a != nil && a.begun {
			return nil, err
		}
		if long := c.tooLong(f, in); long != nil {
			return nil, long
		}
		if now := able.and(c.ability()); now != able {
			able = now // learnt meanwhile by another call
			continue
		}
		less, ok := able.less(f.detail, structured, onToken != nil, c.c.o.JSON != JSONAuto)
		if !ok {
			return nil, err
		}
		able = less
	}
}

// request makes a request that fits the model's context, and counts the tokens of its
// prompt. The error is that of [window.fit].
func (c *Chat) request(able ability, t llm.Task, messages []llm.Message) (req api.ChatCompletionRequest, in int, err error) {
	req = able.request(c.c.model, t, messages, c.c.o)
	for _, m := range req.Messages {
		in += c.c.o.Count(m.Content) + 4
	}
	return req, in, c.window.fit(t, &req, in)
}

// once sends a request and returns its answer and what it cost. An error that came in
// place of a reply costs nothing.
func (c *Chat) once(ctx context.Context, x *exchange, req api.ChatCompletionRequest, in int, onToken func(string) error) (*answer, llm.Usage, error) {
	body, err := c.c.send(ctx, x, http.MethodPost, c.c.base+"/chat/completions", req)
	if err != nil && !x.answered() {
		return nil, llm.Usage{}, err
	}
	r := receiver{safe: hider{secrets: c.c.secrets}, give: onToken, x: x}
	if err == nil {
		err = r.read(body)
		body.Close() // what it says does not change the reply
	}
	if errors.As(err, new(*refusal)) && !r.begun {
		return nil, llm.Usage{}, err
	}
	u := llm.Usage{Calls: 1, InTokens: cmp.Or(r.in, in), OutTokens: r.out}
	if u.OutTokens == 0 {
		u.OutTokens = c.c.o.Count(r.text.String()) + c.c.o.Count(r.thoughts.String())
	}
	return r.answer(), u, err
}
