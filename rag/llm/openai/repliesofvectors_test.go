package openai_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// vectorReplies are what embedding models reply about two texts.
func vectorReplies() []reply {
	const want = "[[0.5 -2] [3 0.25]]"
	return []reply{
		{server: "OpenAI", report: "platform.openai.com/docs/api-reference/embeddings", form: "as documented", want: want,
			body: `{"object":"list","data":[{"object":"embedding","embedding":[0.5,-2.0],"index":0},{"object":"embedding","embedding":[3e0,2.5e-1],"index":1}],"model":"text-embedding-ada-002","usage":{"prompt_tokens":8,"total_tokens":8}}`},
		{server: "OpenAI", report: "huggingface/text-embeddings-inference#288", form: "base64", want: want,
			body: `{"object":"list","data":[{"object":"embedding","index":0,"embedding":"AAAAPwAAAMA="},{"object":"embedding","index":1,"embedding":"AABAQAAAgD4="}],"usage":{"prompt_tokens":8,"total_tokens":8}}`},
		{server: "Google", report: "spring-projects/spring-ai#7020", form: "no index", want: want,
			body: `{"object":"list","data":[{"object":"embedding","embedding":[0.5,-2]},{"object":"embedding","embedding":[3,0.25]}],"model":"gemini-embedding-001"}`},
		{server: "Google", report: "spring-projects/spring-ai#7020", form: "no index where it is 0, in another order", want: want,
			body: `{"data":[{"embedding":[3,0.25],"index":1},{"embedding":[0.5,-2]}]}`},
		{server: "Ollama", report: "ollama/ollama#5870", form: "its own form", want: want,
			body: `{"model":"all-minilm","embeddings":[[0.5,-2],[3,0.25]],"total_duration":14143917,"load_duration":1019500,"prompt_eval_count":8}`},
		{server: "Cohere", report: "docs.cohere.com/reference/embed", form: "vectors by type", want: want,
			body: `{"id":"da","texts":["a","b"],"embeddings":{"float":[[0.5,-2],[3,0.25]]},"meta":{"billed_units":{"input_tokens":2}}}`},
		{server: "text-embeddings-inference", report: "raphaelmansuy/edgequake-llm#62", form: "a bare list of lists", want: want, body: `[[0.5,-2],[3,0.25]]`},
		{server: "llama.cpp", report: "ggml-org/llama.cpp tools/server/README.md", form: "its own form, lists in lists", want: want,
			body: `[{"index":1,"embedding":[[3,0.25]]},{"index":0,"embedding":[[0.5,-2]]}]`},
		{server: "llama.cpp", report: "ggml-org/llama.cpp tools/server/README.md", form: "a vector for each token", is: llm.ErrReply, err: "vector of text 0: unusable reply: it is missing",
			body: "[{\"index\":0,\"embedding\":[\n [0.5,-2],\n [1,1]\n]},{\"index\":1,\"embedding\":[[3,0.25]]}]"},
		{server: "OPEA", report: "opea-project/GenAIComps#926", form: "null for usage and model, indexes as text", want: want,
			body: `{"object":"list","model":null,"data":[{"index":"1","embedding":[3,0.25]},{"index":"0","embedding":[0.5,-2]}],"usage":null}`},
		{server: "proxy", report: "vllm-project/vllm#5935", form: "numbers as text, and a list as text", want: want,
			body: `{"data":[{"index":0,"embedding":["0.5"," -2"]},{"index":1.0,"embedding":"[3, 0.25]"}],"usage":{"prompt_tokens":2.0}}`},
		{server: "proxy", report: "langgenius/dify#9249", form: "an error in place of vectors", is: llm.ErrProvider, err: "the server fails: model is loading", named: 503, again: true,
			body: `{"object":"list","data":[],"error":{"message":"model is loading","code":503}}`},
		{server: "vLLM", report: "vllm-project/vllm#6174", form: "a refusal with status 200", is: llm.ErrRefused, err: "base64 encoding is not currently supported", named: 400,
			body: `{"object":"error","message":"base64 encoding is not currently supported","type":"BadRequestError","param":null,"code":400}`},
		{server: "Ollama", report: "cbtw-apac/qdrant-loader#42", form: "an empty vector", is: llm.ErrReply, err: "vector of text 0: unusable reply: it is missing", body: `{"embedding":[]}`},
		{server: "proxy", report: "HKUDS/LightRAG#1870", form: "null in a vector", is: llm.ErrReply, err: "vector of text 1: unusable reply: a component is not finite",
			body: `{"data":[{"index":0,"embedding":[0.5,-2]},{"index":1,"embedding":[3,null]}]}`},
	}
}

// scoreReplies are what rerankers reply about two passages.
func scoreReplies() []reply {
	const want = "[0.25 0.9]"
	return []reply{
		{server: "Cohere", report: "docs.cohere.com/reference/rerank", form: "results", want: want,
			body: `{"results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.25}],"id":"07","meta":{"api_version":{"version":"2"},"billed_units":{"search_units":1}}}`},
		{server: "Jina", report: "jina.ai/reranker", form: "documents beside the scores", want: want,
			body: `{"model":"jina","object":"list","usage":{"total_tokens":815},"results":[{"index":1,"relevance_score":0.9,"document":{"text":"b"}},{"index":0,"relevance_score":0.25,"document":{"text":"a"}}]}`},
		{server: "vLLM", report: "docs.vllm.ai, re-rank API", form: "null and extra fields", want: want,
			body: `{"id":"rerank-f","model":"bge","usage":{"total_tokens":56,"prompt_tokens":null},"results":[{"index":1,"document":{"text":"b","multi_modal":null},"relevance_score":9e-1},{"index":0,"document":{"text":"a"},"relevance_score":0.25}]}`},
		{server: "LiteLLM", report: "volcengine/OpenViking#3291", form: "documents as plain text, indexes and scores as text", want: want,
			body: `{"results":[{"index":"1","relevance_score":"0.9","document":"b"},{"index":0.0,"relevance_score":0.25,"document":"a"}],"meta":[]}`},
		{server: "Voyage", report: "docs.voyageai.com/reference/reranker-api", form: "data", want: want,
			body: `{"object":"list","data":[{"relevance_score":0.9,"index":1},{"relevance_score":0.25,"index":0}],"model":"rerank-lite-1","usage":{"total_tokens":26}}`},
		{server: "Infinity", report: "diegosouzapw/OmniRoute#13733", form: "score in results", want: want,
			body: `{"object":"rerank","results":[{"score":0.9,"index":1},{"score":0.25,"index":0,"document":null}]}`},
		{server: "text-embeddings-inference", report: "run-llama/llama_index#20597", form: "a bare list by score", want: want,
			body: `[{"index":1,"score":0.9,"text":"b"},{"index":0,"score":0.25,"text":"a"}]`},
		{server: "NVIDIA", report: "docs.api.nvidia.com, retrieval", form: "rankings with logits", want: "[-8.25 3.5]",
			body: `{"rankings":[{"index":1,"logit":3.5},{"index":0,"logit":-8.25}],"usage":{"prompt_tokens":24,"total_tokens":24}}`},
		{server: "DeepInfra", report: "deepinfra.com/docs, rerankers", form: "scores in the order of the passages", want: want, body: `{"scores":[0.25,0.9],"input_tokens":42,"request_id":null}`},
		{server: "proxy", report: "langgenius/dify#22139", form: "a byte order mark before results", want: want,
			body: "\xef\xbb\xbf" + `{"results":[{"index":0,"relevance_score":0.25},{"index":1,"relevance_score":0.9}]}`},
		{server: "proxy", report: "BerriAI/litellm#8372", form: "an error in place of results", is: llm.ErrProvider, err: "the server fails: reranker is loading", named: 503, again: true,
			body: `{"results":[],"error":{"code":"503","message":"reranker is loading"}}`},
		{server: "proxy", report: "BerriAI/litellm#8372", form: "a score that is null", is: llm.ErrProvider, err: "passage 0 has no score", again: true,
			body: `{"results":[{"index":0,"relevance_score":null},{"index":1,"relevance_score":0.9}]}`},
	}
}

// TestOneVectorWithoutList: a server of one text at a time need not make a list of it.
func TestOneVectorWithoutList(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"data":{"embedding":[0.5,-2],"index":0}}`, `{"embedding":[0.5,-2]}`, `{"embeddings":[[0.5,-2]]}`, `{"embeddings":{"float":[[0.5,-2]]}}`, `[[0.5,-2]]`, `[{"embedding":[[0.5,-2]]}]`,
	} {
		e, err := openai.NewEmbedder(openai.Config{BaseURL: "http://localhost/v1", Model: "m"}, 0, openai.Options{Transport: &server{reply: reply{body: body}}, Retries: -1})
		if err != nil {
			t.Fatal(err)
		}
		if dim, u, err := e.Dimension(t.Context()); dim != 2 || u.Calls != 1 || err != nil {
			t.Errorf("%s: %d, %+v, %v", body, dim, u, err)
		}
		if v, _, err := e.Embed(t.Context(), []string{"a"}); err != nil || !slices.Equal(v[0], []float32{.5, -2}) {
			t.Errorf("%s: %v, %v", body, v, err)
		}
	}
}
