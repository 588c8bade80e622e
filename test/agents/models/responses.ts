import type { ServerResponse } from "node:http";
import { freshId, inputFor, type Move, movesAt, stream } from "./serve.ts";

interface Tool {
  name: string;
  namespace?: string;
  parameters?: { properties?: object };
}

/** Lists the tools in a request, which may be inside a namespace. */
const toolsOf = (body: any): Tool[] =>
  (body.tools ?? []).flatMap((tool: any) =>
    tool.type === "namespace" ? tool.tools.map((inner: any) => ({ ...inner, namespace: tool.name })) : [tool],
  );

/** Returns the ids of the subagents that calls started. */
const agentsIn = (input: any[]): string[] =>
  input.flatMap(
    ({ output }) =>
      /"agent_id":\s*"([^"]+)"/.exec(typeof output === "string" ? output : JSON.stringify(output ?? ""))?.[1] ?? [],
  );

function item(move: Move, tools: Tool[], input: any[]): any {
  if ("say" in move) {
    const content = [{ type: "output_text", text: move.say, annotations: [] }];
    // Codex reports only a message that is marked as the final answer.
    const phase = move.say.startsWith("Done") ? "final_answer" : "commentary";
    return { type: "message", role: "assistant", id: freshId("msg"), status: "completed", phase, content };
  }
  const call = { type: "function_call", id: freshId("fc"), call_id: freshId("call"), status: "completed" };
  if ("shell" in move) {
    const modern = tools.some(({ name }) => name === "exec_command");
    const more = move.isEscalated && {
      sandbox_permissions: "require_escalated",
      justification: "It needs the network",
    };
    return modern
      ? { ...call, name: "exec_command", arguments: JSON.stringify({ cmd: move.shell, ...more }) }
      : { ...call, name: "shell", arguments: JSON.stringify({ command: ["sh", "-c", move.shell] }) };
  }
  const wanted = "tool" in move ? move.tool : "ask" in move ? "spawn_agent" : "wait_agent";
  const tool = tools.find(({ name }) => name === wanted || name?.endsWith(`__${wanted}`));
  if (!tool) return item({ say: `There is no tool ${wanted}.` }, tools, input);
  const { name, namespace, parameters } = tool;
  const own = "ask" in move ? inputFor(parameters, { message: move.ask }) : { targets: agentsIn(input) };
  const args = "tool" in move ? move.input : own;
  return { ...call, name, ...(namespace && { namespace }), arguments: JSON.stringify(args) };
}

/** Returns the moves after the last prompt and the rounds of results since then. */
function movesOf(input: any[]): Move[] {
  const isNotice = (item: any) => JSON.stringify(item.content ?? "").includes("<subagent_notification>");
  const prompt = input.findLastIndex((item) => item.role === "user" && !isNotice(item));
  const isOutput = input.slice(prompt).map(({ type }) => /_output$/.test(type ?? ""));
  return movesAt(isOutput.filter((is, at) => is && !isOutput[at - 1]).length, input[prompt]);
}

/** Implements POST /v1/responses, streamed. */
export function speakResponses(path: string, body: any, response: ServerResponse): boolean {
  if (!/\/responses(\?|$)/.test(path)) return false;
  const tools = toolsOf(body);
  const output = movesOf(body.input).map((move) => item(move, tools, body.input));
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
