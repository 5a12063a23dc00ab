package openai_test

import (
	"errors"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// errorReplies are what servers say in place of a reply of any kind.
func errorReplies() []reply {
	return []reply{
		{server: "OpenRouter", report: "BerriAI/litellm#8448", form: "an error with status 200", is: llm.ErrProvider, err: "the server fails: model is loading (status 503 in an answer with HTTP 200)", named: 503, again: true,
			body: `{"error":{"message":"model is loading","code":503}}`},
		{server: "OpenRouter", report: "UKGovernmentBEIS/inspect_ai#1534", form: "null for all but the error", is: llm.ErrProvider, err: "too many requests: Provider returned error; Too Many Requests", named: 429, again: true,
			body: `{"id":null,"choices":null,"created":null,"model":null,"object":null,"usage":null,"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"Too Many Requests","provider_name":"Hyperbolic"}},"user_id":"user_xyz"}`},
		{server: "OpenRouter", report: "diegosouzapw/OmniRoute#3044", form: "another server's error as text in it", is: llm.ErrRefused, err: "Provider returned error; Model 'moonshotai/kimi-k2.6' supports at most 1 image per prompt.", status: 400,
			body: `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"type\":\"invalid_request_error\",\"code\":\"invalid_request_error\",\"message\":\"Model 'moonshotai/kimi-k2.6' supports at most 1 image per prompt.\",\"request_id\":\"req\"}}","provider_name":"Crucible","is_byok":false}},"user_id":"user"}`},
		{server: "Google", report: "google-gemini/gemini-cli#6454", form: "a list of errors", is: llm.ErrProvider, err: "too many requests: Resource exhausted. Please try again later.", status: 429, again: true,
			body: "[{\n  \"error\": {\n    \"code\": 429,\n    \"message\": \"Resource exhausted. Please try again later.\",\n    \"status\": \"RESOURCE_EXHAUSTED\"\n  }\n}]"},
		{server: "Google", report: "continuedev/continue#10560", form: "an error in JSON as the message", is: llm.ErrProvider, err: "too many requests: Resource has been exhausted (e.g. check quota). (status 429 ", named: 429, again: true,
			body: `{"error":{"message":"{\n  \"error\": {\n    \"code\": 429,\n    \"message\": \"Resource has been exhausted (e.g. check quota).\",\n    \"status\": \"RESOURCE_EXHAUSTED\"\n  }\n}\n","code":429,"status":"Too Many Requests"}}`},
		{server: "Mistral", report: "nomtek/mistralai_client_dart#44", form: "details in the message", is: llm.ErrRefused, err: "body messages 0 user name: Extra inputs are not permitted", status: 422,
			body: `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",0,"user","name"],"msg":"Extra inputs are not permitted","input":null},{"type":"extra_forbidden","loc":["body","messages",0,"user","tool_calls"],"msg":"Extra inputs are not permitted","input":null}]},"type":"invalid_request_error","param":null,"code":null}`},
		{server: "Mistral", report: "mistralai/platform-docs-public#7", form: "details in JSON as the message", is: llm.ErrRefused, err: "body frequency_penalty: Extra inputs are not permitted", status: 422,
			body: `{"object":"error","message":"{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"frequency_penalty\"],\"msg\":\"Extra inputs are not permitted\",\"input\":0.0}]}","type":"internal_error_proxy","param":null,"code":"1000"}`},
		{server: "Anthropic", report: "anthropics/anthropic-sdk-typescript#616", form: "an overload", is: llm.ErrProvider, err: "the server fails: Overloaded (HTTP 529)", status: 529, again: true,
			body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
		{server: "LM Studio", report: "lmstudio-ai/lmstudio-bug-tracker#618", form: "a wrong path with status 200", is: llm.ErrProvider, err: "there is no such model or address; does the base URL end in /v1?: Unexpected endpoint or method. (POST /chat/completions)", named: 404,
			body: `{"error":"Unexpected endpoint or method. (POST /chat/completions)"}`},
		{server: "Ollama", report: "ollama/ollama docs/openai.md", form: "an unknown model", is: llm.ErrProvider, err: `model "m" not found, try pulling it first`, status: 404,
			body: `{"error":{"message":"model \"m\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`},
		{server: "Hugging Face", report: "huggingface/transformers#23793", form: "an error as text", is: llm.ErrProvider, err: "the server fails: Model meta-llama/Llama-2-13b is currently loading", status: 503, again: true,
			body: `{"error":"Model meta-llama/Llama-2-13b is currently loading","estimated_time":20.0}`},
		{server: "Cloudflare", report: "cloudflare/cloudflare-docs#15116", form: "a list of errors with codes of its own", is: llm.ErrProvider, err: "the server gives an error in place of a reply: Upstream service unavailable", again: true,
			body: `{"result":null,"success":false,"errors":[{"code":7009,"message":"Upstream service unavailable"}],"messages":[]}`},
		{server: "Cloudflare", report: "developers.cloudflare.com, error 502", form: "a page", is: llm.ErrProvider, err: "the server fails: a web page, api.example.com | 502: Bad gateway (HTTP 502)", status: 502, again: true,
			body: "<!DOCTYPE html>\n<html lang=\"en-US\"><head>\n<title>api.example.com | 502: Bad gateway</title></head><body>" + "x</body></html>"},
		{server: "MiniMax", report: "BigPizzaV3/CodexPlusPlus#267", form: "http_code as text", is: llm.ErrRefused, err: "the request is refused: invalid params, invalid chat setting (2013)", named: 400,
			body: `{"type":"error","error":{"type":"bad_request_error","message":"invalid params, invalid chat setting (2013)","http_code":"400"},"request_id":"0"}`},
		{server: "MiniMax", report: "edenai/edenai-apis#360", form: "base_resp", is: llm.ErrProvider, err: "insufficient balance", again: true,
			body: `{"id":"0","choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`},
		{server: "DeepSeek", report: "api-docs.deepseek.com, error codes", form: "an account without money", is: llm.ErrProvider, err: "the account cannot pay: Insufficient Balance", status: 402,
			body: `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`},
		{server: "xAI", report: "docs.x.ai, error codes", form: "a sentence as code", is: llm.ErrProvider, err: "The model grok-9 does not exist", status: 404,
			body: `{"code":"Some requested entity was not found","error":"The model grok-9 does not exist or your team does not have access to it."}`},
		{server: "FastAPI", report: "fastapi.tiangolo.com, handling errors", form: "detail", is: llm.ErrProvider, err: "the key is refused: Invalid API key", status: 401, body: `{"detail":"Invalid API key"}`},
		{server: "FastAPI", report: "fastapi.tiangolo.com, handling errors", form: "details of several fields", is: llm.ErrRefused, err: "the request is refused: body model: Field required; body top_n: Input should be a valid integer (HTTP 422)", status: 422,
			body: `{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":{}},{"type":"int_type","loc":["body","top_n"],"msg":"Input should be a valid integer"}]}`},
		{server: "Azure", report: "learn.microsoft.com, quotas", form: "statusCode beside the message", is: llm.ErrProvider, err: "the key is refused: Unauthorized. Access token is missing, invalid, audience is incorrect, or have expired.", status: 401,
			body: `{ "statusCode": 401, "message": "Unauthorized. Access token is missing, invalid, audience is incorrect, or have expired." }`},
		{server: "commandcode", report: "CommandCodeAI/command-code#785", form: "status in the error", is: llm.ErrProvider, err: "An unexpected error occurred.", named: 500, again: true,
			body: `{"success":false,"error":{"code":"INTERNAL_SERVER_ERROR","status":500,"message":"An unexpected error occurred."}}`},
		{server: "aibridge", report: "coder/aibridge#56", form: "an empty body with status 200", is: llm.ErrProvider, err: "it is empty", again: true, body: ""},
		{server: "proxy", report: "nginx.org, error pages", form: "an empty body with status 500", is: llm.ErrProvider, err: "the server fails (HTTP 500)", status: 500, again: true, body: ""},
		{server: "proxy", report: "stacklok/codegate#149", form: "a page with status 200", is: llm.ErrProvider, err: "it is no JSON: a web page, Open WebUI & more", again: true,
			body: "\n<html>\r\n<head><title>\nOpen WebUI &amp; more</title></head></html>"},
		{server: "Envoy", report: "envoyproxy/envoy, response flags", form: "words with status 503", is: llm.ErrProvider, err: "the server fails: upstream connect error or disconnect/reset before headers", status: 503, again: true,
			body: "upstream connect error or disconnect/reset before headers. reset reason: connection failure"},
		{server: "proxy", report: "lablup/backend.ai#5771", form: "a compressed error", is: llm.ErrRefused, err: "the request is refused: too many images", status: 400, coding: "gzip", body: packed(gzipped, `{"error":{"message":"too many images"}}`)},
	}
}

// TestNamedStatus: an error with HTTP status 200 is of the status that it names, as a
// number in one of many fields or in words.
func TestNamedStatus(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"error":{"message":"x","type":"rate_limit_error"}}`:                429,
		`{"error":{"message":"x","code":"insufficient_quota"}}`:              429,
		`{"error":{"message":"x","status":"RESOURCE_EXHAUSTED"}}`:            429,
		`{"error":{"message":"x","type":"billing_error"}}`:                   402,
		`{"error":{"message":"x","type":"authentication_error"}}`:            401,
		`{"code":"InvalidApiKey","message":"x","request_id":"r"}`:            401,
		`{"error":{"message":"x","type":"permission_error"}}`:                403,
		`{"error":{"message":"x","code":"model_not_found"}}`:                 404,
		`{"error":{"message":"x","type":"request_too_large"}}`:               413,
		`{"error":"x","error_type":"validation"}`:                            400,
		`{"error":{"message":"x","code":"context_length_exceeded"}}`:         400,
		`{"error":{"message":"x","status":"DEADLINE_EXCEEDED"}}`:             504,
		`{"error":{"message":"x","type":"overloaded_error"}}`:                503,
		`{"error":{"message":"x","type":"server_error","code":null}}`:        500,
		`{"error":{"message":"x","http_status_code":422}}`:                   422,
		`{"error_code":"418","error_msg":"x"}`:                               418,
		`{"errors":[{"message":"x","code":503.0},{"message":"y","code":1}]}`: 503,
		`{"error":{"code":529}}`:                                             529,
		`{"error":{"message":"x","code":399}}`:                               200,
		`{"error":{"message":"x","code":600}}`:                               200,
		`{"error":{"message":"x","type":"odd"}}`:                             200,
	} {
		_, _, err := use(t, "plain", &server{reply: reply{body: body}}, -1)
		var pe *openai.ProviderError
		if !errors.As(err, &pe) || pe.Status != want {
			t.Errorf("%s: %v, want %d", body, err, want)
		}
	}
}
