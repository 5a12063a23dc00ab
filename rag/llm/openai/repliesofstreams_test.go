package openai_test

import (
	"strings"

	"github.com/ragdb/ragdb/rag/llm"
)

// streamReplies are streams as servers give them.
func streamReplies() []reply {
	return []reply{
		{server: "OpenAI", report: "platform.openai.com/docs/api-reference/chat-streaming", form: "a stream with usage in a chunk without a choice", want: text,
			body: stream(`{"id":"c","object":"chat.completion.chunk","created":1,"model":"gpt","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"xy"}`,
				delta("The mill grinds rye"), delta(" on Tuesdays. [1]"), last, `{"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29}}`, `[DONE]`)},
		{server: "OpenAI", report: "platform.openai.com/docs/guides/structured-outputs", form: "a streamed refusal", is: llm.ErrReply, err: "the model refuses to answer: I'm sorry.",
			body: stream(`{"choices":[{"index":0,"delta":{"role":"assistant","refusal":"I'm "},"finish_reason":null}]}`, `{"choices":[{"index":0,"delta":{"refusal":"sorry."},"finish_reason":null}]}`, last, `[DONE]`)},
		{server: "OpenAI", report: "dust-tt/dust#5418", form: "an error event in a stream", is: llm.ErrProvider, err: "the server fails: The server had an error while processing your request. Sorry about that!", named: 500, again: true,
			body: stream(`{"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error","param":null,"code":null}}`, `[DONE]`)},
		{server: "Azure", report: "AbanteAI/archive-old-cli-mentat#429", form: "a first chunk of filter results", want: text,
			body: stream(`{"id":"","choices":[],"created":0,"model":"","object":"","system_fingerprint":null,"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}`,
				`{"choices":[{"content_filter_results":{},"delta":{"role":"assistant"},"finish_reason":null,"index":0}]}`, delta(text), last, `[DONE]`)},
		{server: "Azure", report: "RageAgainstThePixel/OpenAI-DotNet#274", form: "a filter that failed, in a chunk", want: text,
			body: stream(`{"choices":[{"index":0,"finish_reason":null,"delta":{"role":"assistant"},"content_filter_result":{"error":{"code":"content_filter_error","message":"The contents are not filtered"}}}]}`, delta(text), last, `[DONE]`)},
		{server: "OpenRouter", report: "openrouter.ai/docs/api-reference/streaming", form: "comments that keep the connection", want: text,
			body: ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" + stream(delta("The mill"), delta(" grinds rye on Tuesdays. [1]")) + ": OPENROUTER PROCESSING\n\n" + stream(last, `[DONE]`)},
		{server: "OpenRouter", report: "mnfst/llm-gateway#2053", form: "such comments as data", want: text,
			body: stream(`: OPENROUTER PROCESSING`, delta(text), ``, last, `[DONE]`)},
		{server: "OpenRouter", report: "damianvtran/local-operator#223", form: "an error in a chunk with a choice", is: llm.ErrProvider, err: "the server fails: Provider disconnected unexpectedly", named: 502, again: true,
			body: stream(`{"id":"c","object":"chat.completion.chunk","provider":"P","error":{"code":502,"message":"Provider disconnected unexpectedly","metadata":{"error_type":"provider_unavailable"}},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`)},
		{server: "OpenRouter", report: "vercel/ai#2720", form: "an error beside an empty choice", is: llm.ErrProvider, err: "too many requests: Rate limited (status 429 ", named: 429, again: true,
			body: stream(`{"error":{"code":429,"message":"Rate limited","metadata":{"raw":"Rate limited"}},"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`, `[DONE]`)},
		{server: "Groq", report: "vercel/ai#1651", form: "usage in x_groq", want: text,
			body: stream(delta(text), `{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"x_groq":{"id":"req","usage":{"queue_time":0.07535312,"prompt_tokens":23,"completion_tokens":19,"total_tokens":42,"total_time":0.027999999999999997}}}`, `[DONE]`)},
		{server: "Groq", report: "Portkey-AI/gateway#1072", form: "an event on several lines", want: text,
			body: "data: {\ndata:     \"choices\": [\ndata:         {\"index\": 0, \"delta\": {\"content\":\ndata:  \"" + text + "\"}}\ndata:     ]\ndata: }\n\n" + stream(last, `[DONE]`)},
		{server: "DeepSeek", report: "karthink/gptel#592", form: "data without a blank, reasoning first", want: text,
			body: strings.ReplaceAll(stream(`{"choices":[{"index":0,"delta":{"role":"assistant"}}]}`, `{"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"Okay","role":"assistant"}}]}`, delta(text), last, `[DONE]`), "data: ", "data:")},
		{server: "DeepSeek", report: "openai/openai-node#1292", form: "[DONE] without a finish_reason", want: text,
			body: stream(delta("The mill grinds rye"), delta(" on Tuesdays. [1]"), `[DONE]`)},
		{server: "DeepSeek", report: "tetsuo-ai/agenc-core#2492", form: "an end without either, with words of a proxy", is: llm.ErrProvider, err: "it ended without a finish_reason or [DONE]: upstream error: read ECONNRESET", again: true,
			body: stream(`{"choices":[{"index":0,"delta":{"reasoning_content":"Okay"}}]}`) + "upstream error: read ECONNRESET\n"},
		{server: "opencode", report: "anomalyco/opencode#43379", form: "finish_reason null in all chunks", want: text,
			body: stream(delta(text), `{"choices":[{"index":0,"delta":{},"finish_reason":null}]}`, `[DONE]`)},
		{server: "Ollama", report: "ollama/ollama#4357", form: "an empty finish_reason in each chunk", want: text,
			body: stream(`{"id":"chatcmpl-693","object":"chat.completion.chunk","model":"mistral:latest","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"The mill"},"finish_reason":""}]}`, delta(" grinds rye on Tuesdays. [1]"), last, `[DONE]`)},
		{server: "Ollama", report: "ollama/ollama docs/api.md", form: "lines of JSON in its own form", want: text,
			body: `{"model":"m","created_at":"2023-08-04","message":{"role":"assistant","content":"The mill grinds rye","images":null},"done":false}` + "\n" +
				`{"model":"m","message":{"role":"assistant","content":" on Tuesdays. [1]"},"done":false}` + "\n" +
				`{"model":"m","message":{"role":"assistant","content":""},"done":true,"total_duration":4883583458,"prompt_eval_count":26,"eval_count":282}` + "\n"},
		{server: "Ollama", report: "ollama/ollama#8258", form: "an error line in such a stream", is: llm.ErrProvider, err: "an error was encountered while running the model: unexpected EOF", again: true,
			body: `{"error":"an error was encountered while running the model: unexpected EOF"}` + "\n"},
		{server: "SGLang", report: "sgl-project/sglang#3912", form: "null in place of roles and usage", want: text,
			body: stream(`{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":null,"content":"`+text+`","tool_calls":null},"logprobs":null,"finish_reason":"","matched_stop":null}],"usage":null}`, last, `[DONE]`)},
		{server: "SGLang", report: "sgl-project/mini-sglang#51", form: "a stream that was not asked for", want: text,
			body: stream(`{"id":"cmpl-1","object":"text_completion.chunk","choices":[{"delta":{"content":"`+text+`"},"index":0,"finish_reason":null}]}`, `[DONE]`)},
		{server: "vLLM", report: "vllm-project/vllm#36944", form: "text and finish_reason in one chunk, usage in each", want: text,
			body: stream(`{"choices":[{"index":0,"delta":{"content":"The mill grinds rye"},"finish_reason":null}],"usage":{"prompt_tokens":33,"total_tokens":98,"completion_tokens":65}}`,
				`{"choices":[{"index":0,"delta":{"content":" on Tuesdays. [1]"},"finish_reason":"stop","stop_reason":null}],"usage":{"prompt_tokens":33,"total_tokens":99,"completion_tokens":66}}`, `[DONE]`)},
		{server: "vLLM", report: "vllm-project/guidellm#743", form: "an error before [DONE]", is: llm.ErrProvider, err: "the server fails: TimeoutError", named: 504, again: true,
			body: stream(`{"error": {"message": "TimeoutError", "type": "GatewayTimeout", "code": 504}}`, `[DONE]`)},
		{server: "vLLM", report: "vllm-project/vllm#15119", form: "an older error in a stream", is: llm.ErrRefused, err: "the request is refused: Echo is not supported", named: 400,
			body: stream(`{"object":"error","message":"Echo is not supported","type":"BadRequestError","param":null,"code":400}`, `[DONE]`)},
		{server: "llama.cpp", report: "unslothai/unsloth#9390", form: "an error field in place of data", is: llm.ErrRefused, err: "request (2358 tokens) exceeds the available context size (2048 tokens), try increasing it", named: 400,
			body: "error: {\"code\":400,\"message\":\"request (2358 tokens) exceeds the available context size (2048 tokens), try increasing it\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":2358,\"n_ctx\":2048}\n\n"},
		{server: "Anthropic", report: "BerriAI/litellm#4562", form: "an error in a stream with status 200", is: llm.ErrProvider, err: "the server fails: Internal server error", named: 500, again: true,
			body: "event: error\n" + stream(`{"type":"error","error":{"details":null,"type":"api_error","message":"Internal server error"}      }`)},
		{server: "LM Studio", report: "zendev-sh/goai#110", form: "an error event", is: llm.ErrProvider, err: "Compute error.", again: true,
			body: "event: error\n" + stream(`{"error":{"message":"Compute error."},"message":"Compute error."}`)},
		{server: "Perplexity", report: "open-webui/open-webui#9927", form: "all that was said beside what is new", want: text,
			body: stream(`{"object":"chat.completion.chunk","choices":[{"index":0,"finish_reason":null,"message":{"role":"assistant","content":"The mill"},"delta":{"role":"assistant","content":"The mill"}}]}`,
				`{"object":"chat.completion.chunk","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"`+text+`"},"delta":{"role":"assistant","content":" grinds rye on Tuesdays. [1]"}}],"citations":["https://a"]}`)},
		{server: "Bedrock", report: "danny-avila/LibreChat#5563", form: "chunks without finish_reason", want: text,
			body: stream(`{"choices":[{"delta":{"content":"The mill grinds"}}]}`, `{"choices":[{"delta":{"content":" rye on Tuesdays. [1]"}}]}`, last, `[DONE]`)},
		{server: "proxy", report: "router-for-me/CLIProxyAPI#2460", form: "words that are no error, without a choice", want: text,
			body: stream(`{"code":0,"message":"success"}`, `{"type":"ping"}`, delta(text), last, `[DONE]`)},
		{server: "DashScope", report: "help.aliyun.com, Qwen API", form: `the word "null" for no finish_reason`, want: text,
			body: stream(`{"choices":[{"index":0,"delta":{"content":"The mill"},"finish_reason":"null"}]}`, delta(" grinds rye on Tuesdays. [1]"), last, `[DONE]`)},
	}
}

// formReplies are replies in unusual frames.
func formReplies() []reply {
	usual := stream(delta("The mill – grinds"), delta(" rye."), last, `[DONE]`)
	const said = "The mill – grinds rye."
	whole := `{"choices":[{"index":0,"message":{"role":"assistant","content":"` + said + `"},"finish_reason":"stop"}]}`
	return []reply{
		{server: "event stream", report: "openai/openai-python#2722", form: "lines that end with CR LF", want: said, body: strings.ReplaceAll(usual, "\n", "\r\n")},
		{server: "event stream", report: "html.spec.whatwg.org, event streams", form: "lines that end with CR", want: said, body: strings.ReplaceAll(usual, "\n", "\r")},
		{server: "event stream", report: "html.spec.whatwg.org, event streams", form: "a byte order mark, fields of other names", want: said, body: "\xef\xbb\xbfretry: 3000\nid: 1\nevent: message\n" + usual},
		{server: "event stream", report: "SillyTavern/SillyTavern#1482", form: "no empty line between events", want: said, body: strings.ReplaceAll(usual, "\n\n", "\n")},
		{server: "event stream", report: "html.spec.whatwg.org, event streams", form: "more blanks after the colon", want: said, body: strings.ReplaceAll(usual, "data: ", "data: \t ")},
		{server: "event stream", report: "router-for-me/CLIProxyAPI#2460", form: "events without data", want: said, body: "data:\n\ndata: \n\n" + usual},
		{server: "event stream", report: "alexrudall/ruby-openai#332", form: "events glued together", want: said, body: strings.ReplaceAll(usual, "\n\n", "")},
		{server: "event stream", report: "html.spec.whatwg.org, event streams", form: "no line end after [DONE]", want: said, body: strings.TrimSpace(usual)},
		{server: "event stream", report: "anomalyco/opencode#43882", form: "a connection that breaks after the finish_reason", want: said, broken: true, body: stream(delta(said), last)},
		{server: "event stream", report: "deepseek-ai/DeepSeek-V3#1608", form: "a connection that breaks before it", is: llm.ErrProvider, err: "broke off", again: true, broken: true, body: stream(`{"choices":[{"index":0,"delta":{"role":"assistant"}}]}`)},
		{server: "event stream", report: "CommandCodeAI/command-code#785", form: "an end in the middle of messages", is: llm.ErrProvider, err: "it ended without a finish_reason or [DONE]", again: true, body: stream(`{"choices":[{"index":0}]}`)},
		{server: "9router", report: "decolua/9router#3492", form: "a whole reply with [DONE] behind it", want: said, body: whole + "data: [DONE]\n\n"},
		{server: "Proxima", report: "Zen4-bit/Proxima#45", form: "a whole reply in an event", want: said, body: stream(strings.Replace(whole, "{", `{"object":"chat.completion",`, 1), `[DONE]`)},
		{server: "proxy", report: "schemathesis/schemathesis#1563", form: "a byte order mark before JSON", want: said, body: "\xef\xbb\xbf" + whole},
		{server: "proxy", report: "stacklok/codegate#149", form: "JSON on many lines", want: said, body: "\n{\n  \"choices\": [\n" + strings.TrimPrefix(whole, `{"choices":[`) + "\n"},
		{server: "Google", report: "google-gemini/gemini-cli#6454", form: "a list of chunks", want: said, body: "[" + delta("The mill – grinds") + "\n,\r\n" + delta(" rye.") + ",\n" + last + "]"},
		{server: "DIAL", report: "epam/ai-dial-core#1646", form: "a compressed stream", want: said, coding: "gzip", body: packed(gzipped, usual)},
		{server: "proxy", report: "antergone/palm-netlify-proxy#12", form: "gzip without a word of it", want: said, body: packed(gzipped, whole)},
		{server: "proxy", report: "kdzwinel/betwixt#54", form: "deflate as the standard has it", want: said, coding: "deflate", body: packed(zlibbed, whole)},
		{server: "proxy", report: "kdzwinel/betwixt#54", form: "deflate without its frame", want: said, coding: "deflate", body: packed(deflated, whole)},
		{server: "proxy", report: "RFC 7932", form: "a coding that was not asked for", is: llm.ErrProvider, err: "compressed with br, which was not asked for", again: true, coding: "br", body: "\x8b\x02\x80"},
	}
}
