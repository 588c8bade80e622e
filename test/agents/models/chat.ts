import type { ServerResponse } from "node:http";
import type { ToolNames } from "./anthropic.ts";
import { errandFor, freshId, inputFor, type Move, movesAt, type Speak, stream } from "./serve.ts";

const call = (name: string, input: object) => ({
  id: freshId("call"),
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});

function calls(move: Move, { shell, ours, agent = "general" }: ToolNames, tools: any[]) {
  if ("tool" in move) return [call(ours(move.tool), move.input)];
  if ("shell" in move) return [call(shell, { command: move.shell, description: "Run it", is_background: false })];
  const tool = tools.find((each) => /^(?:agent|task)$/.test(each.function.name))?.function;
  return "ask" in move && tool ? [call(tool.name, inputFor(tool.parameters, errandFor(move.ask, agent)))] : [];
}

/** Implements POST /v1/chat/completions, streamed or not, for an agent with the given tool names. */
export const speakChat =
  (names: ToolNames): Speak =>
  (path, body, response) =>
    /\/chat\/completions(\?|$)/.test(path) && answer(body, response, names);

function answer(body: any, response: ServerResponse, names: ToolNames): boolean {
  const turn = body.tools?.length > 0;
  const prompt = body.messages.findLastIndex(({ role }: any) => role === "user");
  const step = body.messages.slice(prompt).filter(({ role }: any) => role === "assistant").length;
  const moves: Move[] = turn ? movesAt(step, body.messages[prompt]) : [{ say: "A title" }];
  const content = moves.flatMap((move) => ("say" in move ? move.say : [])).join("\n");
  const tool_calls = moves.flatMap((move) => calls(move, names, body.tools ?? []));
  const cached = { prompt_tokens_details: { cached_tokens: 400 } };
  const usage = { prompt_tokens: 1200, completion_tokens: 50, total_tokens: 1250, ...cached };
  const base = { id: freshId("chatcmpl"), created: Math.floor(Date.now() / 1000), model: body.model };
  const finish_reason = tool_calls.length > 0 ? "tool_calls" : "stop";
  const message = { role: "assistant", content, ...(tool_calls.length > 0 && { tool_calls }) };
  if (!body.stream) {
    const answer = { ...base, object: "chat.completion", choices: [{ index: 0, finish_reason, message }], usage };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
    return turn;
  }
  const delta = {
    ...message,
    ...(message.tool_calls && { tool_calls: tool_calls.map((each, index) => ({ index, ...each })) }),
  };
  const chunk = (more: object) => ({ data: { ...base, object: "chat.completion.chunk", ...more } });
  stream(response, [
    chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason }], usage }),
  ]);
  return turn;
}
