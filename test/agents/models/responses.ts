import type { ServerResponse } from "node:http";
import { freshId, type Move, movesAt, stream } from "./serve.ts";

interface Tool {
  name: string;
  namespace?: string;
}

/** Tools stand in the request by themselves or in a namespace. */
const toolsOf = (body: any): Tool[] =>
  (body.tools ?? []).flatMap((tool: any) =>
    tool.type === "namespace" ? tool.tools.map((inner: any) => ({ ...inner, namespace: tool.name })) : [tool],
  );

function item(move: Move, tools: Tool[]): any {
  if ("say" in move) {
    const content = [{ type: "output_text", text: move.say, annotations: [] }];
    // Codex tells of an answer that is marked as the final one alone.
    const phase = move.say.startsWith("Done") ? "final_answer" : "commentary";
    return { type: "message", role: "assistant", id: freshId("msg"), status: "completed", phase, content };
  }
  const call = { type: "function_call", id: freshId("fc"), call_id: freshId("call"), status: "completed" };
  if ("shell" in move) {
    const modern = tools.some(({ name }) => name === "exec_command");
    return modern
      ? { ...call, name: "exec_command", arguments: JSON.stringify({ cmd: move.shell }) }
      : { ...call, name: "shell", arguments: JSON.stringify({ command: ["sh", "-c", move.shell] }) };
  }
  const tool = tools.find(({ name }) => name === move.tool || name?.endsWith(`__${move.tool}`));
  if (!tool) return item({ say: `There is no tool ${move.tool}.` }, tools);
  const { name, namespace } = tool;
  return { ...call, name, ...(namespace && { namespace }), arguments: JSON.stringify(move.input) };
}

/** The number of rounds of results since the last prompt. */
function stepOf(input: any[]): number {
  const since = input.slice(input.findLastIndex(({ role }) => role === "user"));
  const isOutput = since.map(({ type }) => /_output$/.test(type ?? ""));
  return isOutput.filter((is, at) => is && !isOutput[at - 1]).length;
}

/** POST /v1/responses, streamed. */
export function speakResponses(path: string, body: any, response: ServerResponse): boolean {
  if (!/\/responses(\?|$)/.test(path)) return false;
  const tools = toolsOf(body);
  const output = movesAt(stepOf(body.input)).map((move) => item(move, tools));
  const usage = {
    input_tokens: 1200,
    input_tokens_details: { cached_tokens: 400 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 7 },
    total_tokens: 1250,
  };
  const base = {
    id: freshId("resp"),
    object: "response",
    model: body.model,
    created_at: Math.floor(Date.now() / 1000),
  };
  const events = [
    { type: "response.created", response: { ...base, status: "in_progress", output: [] } },
    ...output.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: { ...base, status: "completed", output, usage } },
  ];
  stream(
    response,
    events.map((data, sequence_number) => ({ type: data.type, data: { ...data, sequence_number } })),
  );
  return true;
}
