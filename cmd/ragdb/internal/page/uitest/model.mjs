// A chat model that writes slowly, and what a hostile one would write.

import { createServer } from "node:http";

export const words = ["The mirror", " was ground by <b>Casimir Dorn</b>", " <script>document.title='taken'</script>", " [link](javascript:document.title='taken')", " in his workshop [1].", "\n\nThat", " is", " all."];

export async function model() {
  const server = createServer(async (req, res) => {
    for await (const _ of req); // the question is not looked at
    if (!req.url.endsWith("/chat/completions")) return res.writeHead(404).end("{}");
    res.writeHead(200, { "Content-Type": "text/event-stream" });
    const send = o => res.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "slow", choices: [], ...o })}\n\n`);
    for (const w of words) {
      send({ choices: [{ index: 0, delta: { content: w } }] });
      await new Promise(r => setTimeout(r, 400));
    }
    send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    send({ usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } });
    res.end("data: [DONE]\n\n");
  });
  await new Promise(r => server.listen(0, "127.0.0.1", r));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, stop: () => { server.closeAllConnections(); server.close(); } };
}
