package openai_test

import "github.com/ragdb/ragdb/rag/llm"

// text is what the models of the replies say.
const text = "The mill grinds rye on Tuesdays. [1]"

// wholeReplies are replies in one piece.
func wholeReplies() []reply {
	return []reply{
		{server: "OpenAI", report: "platform.openai.com/docs/api-reference/chat", form: "as documented", want: text,
			body: `{"id":"chatcmpl-B9","object":"chat.completion","created":1741569952,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"message":{"role":"assistant","content":"` + text + `","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,"prompt_tokens_details":{"cached_tokens":0}},"service_tier":"default"}`},
		{server: "OpenAI", report: "platform.openai.com/docs/guides/structured-outputs", form: "a refusal beside no content", is: llm.ErrReply, err: "the model refuses to answer: I'm sorry, I cannot assist with that request.",
			body: `{"id":"chatcmpl-9n","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I'm sorry, I cannot assist with that request."},"finish_reason":"stop"}],"usage":{"prompt_tokens":81,"completion_tokens":11}}`},
		{server: "OpenAI", report: "microsoft/agent-framework#6978", form: "a tool call without a text", is: llm.ErrReply, err: `it is empty (finish_reason "tool_calls")`,
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"search","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`},
		{server: "Azure", report: "semantic-kernel#4996", form: "results of filters, one of which failed", want: text,
			body: `{"id":"c","object":"chat.completion","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}],"choices":[{"index":0,"finish_reason":"stop","content_filter_results":{"error":{"code":"content_filter_error","message":"The contents are not filtered"}},"message":{"role":"assistant","content":"` + text + `"}}],"usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12}}`},
		{server: "Azure", report: "learn.microsoft.com, content filtering", form: "a reply that the filter removed", is: llm.ErrReply, err: "the server's filter removed it",
			body: `{"choices":[{"index":0,"finish_reason":"content_filter","content_filter_results":{"violence":{"filtered":true,"severity":"medium"}},"message":{"role":"assistant"}}],"usage":{"prompt_tokens":3,"completion_tokens":0}}`},
		{server: "Google", report: "HKUDS/Vibe-Trading#308", form: "a filter by Gemini's own names", is: llm.ErrReply, err: "the server's filter removed it",
			body: `{"object":"chat.completion","model":"gemini-2.5-flash","choices":[{"index":0,"finish_reason":"PROHIBITED_CONTENT"}],"usage":{"prompt_tokens":9,"total_tokens":9}}`},
		{server: "Google", report: "envoyproxy/ai-gateway#2107", form: "a limit met while thinking: a message without content", is: llm.ErrReply, err: "it was cut off at the limit of its length",
			body: `{"choices":[{"index":0,"finish_reason":"MAX_TOKENS","message":{"role":"assistant"}}],"usage":{"prompt_tokens":9,"completion_tokens":0,"total_tokens":900}}`},
		{server: "Ollama", report: "ollama/ollama docs/openai.md", form: "reasoning beside the content", want: text,
			body: `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[{"index":0,"message":{"role":"assistant","content":"` + text + `","reasoning":"Rye, then."},"finish_reason":"stop"}],"usage":{"prompt_tokens":26,"completion_tokens":298,"total_tokens":324}}`},
		{server: "Ollama", report: "ollama/ollama docs/api.md", form: "its own form", want: text,
			body: `{"model":"llama3.2","created_at":"2023-12-12T14:13:43.416799Z","message":{"role":"assistant","content":"` + text + `"},"done":true,"done_reason":"stop","total_duration":5191566416,"prompt_eval_count":26,"eval_count":298}`},
		{server: "vLLM", report: "docs.vllm.ai, OpenAI-compatible server", form: "null and numbers in fields that OpenAI does not have", want: text,
			body: `{"id":"chatcmpl-v","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","reasoning_content":null,"content":"` + text + `","tool_calls":[]},"logprobs":null,"finish_reason":"stop","stop_reason":128009}],"usage":{"prompt_tokens":5,"total_tokens":12,"completion_tokens":7,"prompt_tokens_details":null},"prompt_logprobs":null,"kv_transfer_params":null}`},
		{server: "llama.cpp", report: "ggml-org/llama.cpp tools/server/README.md", form: "timings", want: text,
			body: `{"choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant","content":"` + text + `"}}],"created":1757141666,"model":"gpt-3.5-turbo","system_fingerprint":"b6396","object":"chat.completion","usage":{"completion_tokens":9,"prompt_tokens":9,"total_tokens":18},"id":"c","timings":{"prompt_n":1,"prompt_ms":30.958,"predicted_per_second":2.0e1}}`},
		{server: "LM Studio", report: "lmstudio.ai/docs/app/api/endpoints/rest", form: "stats and model_info", want: text,
			body: `{"id":"chatcmpl-i3","object":"chat.completion","created":1731990317,"model":"granite","choices":[{"index":0,"logprobs":null,"finish_reason":"stop","message":{"role":"assistant","content":"` + text + `"}}],"usage":{"prompt_tokens":24,"completion_tokens":53,"total_tokens":77},"stats":{"tokens_per_second":51.43,"stop_reason":"eosFound"},"model_info":{"context_length":4096}}`},
		{server: "LM Studio", report: "lmstudio-ai/lmstudio-bug-tracker#2339", form: "a prompt that is too long: no text", is: llm.ErrReply, err: "it is empty",
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":36000,"completion_tokens":0,"total_tokens":36000}}`},
		{server: "DeepSeek", report: "api-docs.deepseek.com, reasoning model", form: "reasoning_content", want: text,
			body: `{"id":"9","object":"chat.completion","created":1,"model":"deepseek-reasoner","choices":[{"index":0,"message":{"role":"assistant","content":"` + text + `","reasoning_content":"The pieces say rye."},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":6,"completion_tokens":27,"total_tokens":33,"prompt_cache_hit_tokens":0,"completion_tokens_details":{"reasoning_tokens":9}}}`},
		{server: "DeepSeek", report: "api-docs.deepseek.com, create chat completion", form: "a reply for which resources lacked", is: llm.ErrProvider, err: `finish_reason "insufficient_system_resource"`, again: true,
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":"The mill"},"finish_reason":"insufficient_system_resource"}]}`},
		{server: "Zhipu", report: "docs.bigmodel.cn, chat completions", form: "a reply that its network broke off", is: llm.ErrProvider, err: `finish_reason "network_error"`, again: true,
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"network_error"}]}`},
		{server: "one-api", report: "MartialBE/one-hub#206", form: "a time with a fraction", want: text,
			body: `{"id":"c","object":"chat.completion","created":1716313435.779,"choices":[{"index":0,"message":{"role":"assistant","content":"` + text + `"},"finish_reason":"stop"}]}`},
		{server: "Groq", report: "console.groq.com/docs/api-reference", form: "usage with times, and x_groq", want: text,
			body: `{"id":"chatcmpl-f","object":"chat.completion","created":1730241104,"model":"llama3","choices":[{"index":0,"message":{"role":"assistant","content":"` + text + `"},"logprobs":null,"finish_reason":"stop"}],"usage":{"queue_time":0.037,"prompt_tokens":18,"prompt_time":6.8e-4,"completion_tokens":556,"total_tokens":574},"x_groq":{"id":"req_01"}}`},
		{server: "proxy", report: "pydantic/pydantic-ai#4012", form: "usage as text, with fractions, null, or a list", want: text,
			body: `{"id":7,"object":null,"created":"1.7e9","model":["m"],"choices":[{"index":"0","message":{"role":"assistant","content":"` + text + `"},"finish_reason":"stop","logprobs":0}],"usage":{"prompt_tokens":"12","completion_tokens":4.0,"total_tokens":null,"completion_tokens_details":[1]}}`},
		{server: "proxy", report: "open-webui/open-webui#9927", form: "no finish_reason, no usage, one choice without a list", want: text,
			body: `{"choices":{"message":{"content":"` + text + `"}},"usage":[]}`},
		{server: "text-generation-webui", report: "oobabooga/textgen wiki, OpenAI API", form: "the form of completions", want: text,
			body: `{"id":"conv-1","object":"text_completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","text":"` + text + `","logprobs":{"top_logprobs":[{}]}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`},
	}
}

// partReplies are replies whose content is a list of parts.
func partReplies() []reply {
	return []reply{
		{server: "Mistral", report: "nextcloud/integration_openai#408", form: "thinking parts and text parts", want: text,
			body: `{"id":"x","object":"chat.completion","model":"magistral-medium-2509","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","tool_calls":null,"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}],"closed":true},{"type":"text","text":"The mill grinds "},{"type":"text","text":"rye on Tuesdays. [1]"}]}}],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}`},
		{server: "Mistral", report: "docs.mistral.ai, citations", form: "references among text parts", want: text,
			body: `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":[{"type":"text","text":"The mill grinds rye"},{"type":"reference","reference_ids":[1]},{"type":"text","text":" on Tuesdays. [1]"}]}}]}`},
		{server: "Mistral", report: "BerriAI/litellm#16272", form: "a stream of parts", want: text,
			body: stream(`{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
				`{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"'s a greeting"}]}]},"finish_reason":null}]}`,
				`{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"The mill grinds rye"}]},"finish_reason":null}]}`,
				`{"choices":[{"index":0,"delta":{"content":" on Tuesdays. [1]"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":9}}`, `[DONE]`)},
		{server: "Anthropic", report: "docs.anthropic.com, OpenAI SDK compatibility", form: "empty fields of details", want: text,
			body: `{"id":"msg_01","choices":[{"finish_reason":"stop","index":0,"logprobs":null,"message":{"content":"` + text + `","refusal":null,"role":"assistant","audio":null,"function_call":null,"tool_calls":null}}],"created":1741000000,"model":"claude","object":"chat.completion","service_tier":null,"system_fingerprint":null,"usage":{"completion_tokens":12,"prompt_tokens":20,"total_tokens":32,"completion_tokens_details":null}}`},
		{server: "Databricks", report: "docs.databricks.com, query reasoning models", form: "reasoning with a summary before the text", want: text,
			body: `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm","signature":"x"}]},{"type":"text","text":"` + text + `"}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`},
		{server: "OpenAI", report: "platform.openai.com/docs/api-reference/chat", form: "a refusal part", is: llm.ErrReply, err: "the model refuses to answer: I can't help with that.",
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"refusal","refusal":"I can't help with that."}]},"finish_reason":"stop"}]}`},
		{server: "proxy", report: "microsoft/agent-framework#6978", form: "parts as plain strings, and with values", want: text,
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":["The mill grinds ",{"type":"text","text":{"value":"rye on ","annotations":[]}},{"type":"output_text","text":"Tuesdays. [1]"}]},"finish_reason":"stop"}]}`},
	}
}
