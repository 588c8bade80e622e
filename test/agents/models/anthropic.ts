import type { ServerResponse } from "node:http";
import { errandFor, freshId, inputFor, type Move, movesAt, type Speak, stream } from "./serve.ts";

/** Names that an agent gives to its shell tool and to one of Trackway's tools. */
export interface ToolNames {
  shell: string;
  ours(tool: string): string;
  /** Type of the subagent that runs an errand. */
  agent?: string;
}

function block(move: Move, names: ToolNames, tools: any[]): any {
  if ("say" in move) return { type: "text", text: move.say };
  const call = { type: "tool_use", id: freshId("toolu") };
  if ("shell" in move) return { ...call, name: names.shell, input: { command: move.shell, description: "Run it" } };
  if ("tool" in move) return { ...call, name: names.ours(move.tool), input: move.input };
  const agent = tools.find(({ name }) => /^(?:Agent|Task|task)$/.test(name));
  const input = "ask" in move ? inputFor(agent?.input_schema, errandFor(move.ask, "general-purpose")) : {};
  return { ...call, name: agent?.name ?? "Agent", input };
}

const isResult = ({ content }: any): boolean =>
  Array.isArray(content) && content.some(({ type }: any) => type === "tool_result");

/** Returns the moves after the last prompt and the model's responses since then. */
function movesOf(messages: any[]): Move[] {
  const prompt = messages.findLastIndex((message) => message.role === "user" && !isResult(message));
  const step = messages.slice(prompt).filter(({ role }) => role === "assistant").length;
  return movesAt(step, messages[prompt]);
}

/** Implements POST /v1/messages, streamed or not, for an agent with the given tool names. */
export const speakAnthropic =
  (names: ToolNames): Speak =>
  (path, body, response) =>
    answer({ path, body, response }, names);

function answer({ path, body, response }: { path: string; body: any; response: ServerResponse }, names: ToolNames) {
  if (!/^\/v1\/messages(\?|$)/.test(path)) return false;
  const turn = body.tools?.length > 0;
  const content = turn
    ? movesOf(body.messages).map((move) => block(move, names, body.tools))
    : [{ type: "text", text: "A title" }];
  const stop_reason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  const usage = {
    input_tokens: 1200,
    cache_creation_input_tokens: 300,
    cache_read_input_tokens: 4000,
    output_tokens: 50,
  };
  const message = { id: freshId("msg"), type: "message", role: "assistant", model: body.model, stop_sequence: null };
  if (!body.stream) {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ ...message, content, stop_reason, usage }));
  } else {
    const events = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
      ...content.flatMap(blockEvents),
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
    stream(
      response,
      events.map((data) => ({ type: data.type, data })),
    );
  }
  return turn;
}

function blockEvents(block: any, index: number): any[] {
  const isText = block.type === "text";
  const empty = isText ? { type: "text", text: "" } : { ...block, input: {} };
  const delta = isText
    ? { type: "text_delta", text: block.text }
    : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
  return [
    { type: "content_block_start", index, content_block: empty },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}
