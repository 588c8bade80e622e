import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

const call = (index: number, name: string, input: object) => ({
  index,
  id: `call_${name}`,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});

/** The script of the model: two calls (one fails), a question to the nested agent, and the reply. */
function answerTo({ messages, tools = [] }: any) {
  const step = messages.filter(({ role }: any) => role === "assistant").length;
  if (JSON.stringify(messages[0]).includes("Researcher")) return { content: "Paris has sun all week." };
  if (step === 0) return { tool_calls: [call(0, "get_weather", { city: "Paris" }), call(1, "broken", {})] };
  if (step > 1) return { content: "Sunny in Paris, all week." };
  const asked = tools.find((tool: any) => tool.function.name === "ask_researcher").function.parameters.properties;
  return { tool_calls: [call(0, "ask_researcher", { [Object.keys(asked)[0] ?? ""]: "How long?" })] };
}

const USAGE = {
  prompt_tokens: 120,
  completion_tokens: 20,
  total_tokens: 140,
  prompt_tokens_details: { cached_tokens: 40 },
};

/** Starts a model on loopback that implements chat completions, streamed or not. */
export async function serveScript(): Promise<{ url: string; close(): void }> {
  let answers = 0;
  const server = createServer(async (request, response) => {
    const body: any = await json(request);
    const delta = { role: "assistant", content: "", ...answerTo(body) };
    const finish_reason = "tool_calls" in delta ? "tool_calls" : "stop";
    const base = { id: `chatcmpl-${++answers}`, created: 1, model: body.model };
    if (!body.stream) {
      const choices = [{ index: 0, finish_reason, message: delta }];
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ ...base, object: "chat.completion", choices, usage: USAGE }));
      return;
    }
    response.setHeader("Content-Type", "text/event-stream");
    const pieces = [
      { choices: [{ index: 0, delta, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason }] },
      { choices: [], usage: USAGE },
    ];
    for (const piece of pieces)
      response.write(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", ...piece })}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
