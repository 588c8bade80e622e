import type { ServerResponse } from "node:http";
import { freshId, type Move, movesAt, stream } from "./serve.ts";

function part(move: Move, names: string[]): any {
  // A subagent ends by calling a tool.
  if ("say" in move && names.includes("complete_task"))
    return { functionCall: { name: "complete_task", args: { result: { response: move.say } } } };
  if ("say" in move) return { text: move.say };
  if ("shell" in move)
    return { functionCall: { name: "run_shell_command", args: { command: move.shell, description: "Run it" } } };
  if ("ask" in move)
    return { functionCall: { name: "invoke_agent", args: { agent_name: "generalist", prompt: move.ask } } };
  if (!("tool" in move)) return { text: "" };
  const name = names.find((one) => one.endsWith(move.tool)) ?? move.tool;
  return { functionCall: { name, args: move.input } };
}

/** Returns the moves after the last prompt and the model's responses since then. */
function movesOf(contents: any[]): Move[] {
  const prompt = contents.findLastIndex(
    ({ role, parts }) => role === "user" && !parts.some((one: any) => one.functionResponse),
  );
  return movesAt(contents.slice(prompt).filter(({ role }) => role === "model").length, contents[prompt]);
}

/** Response to requests outside the turn: the model to use, the next speaker, a title. */
const ASIDE = JSON.stringify({
  reasoning: "scripted",
  model_choice: "flash",
  next_speaker: "user",
  complexity_reasoning: "",
  complexity_score: 1,
});

/** Implements POST /v1beta/models/MODEL:generateContent and similar requests. */
export function speakGemini(path: string, body: any, response: ServerResponse): boolean {
  const [, model, verb] = /models\/([^/:]+):(\w+)/.exec(path) ?? [];
  if (!model) return false;
  const names = (body.tools ?? []).flatMap((tool: any) => tool.functionDeclarations ?? []).map(({ name }: any) => name);
  const json = body.generationConfig?.responseMimeType === "application/json";
  const turn = names.length > 0 && !json && verb !== "countTokens";
  const parts = turn ? movesOf(body.contents).map((move) => part(move, names)) : [{ text: json ? ASIDE : "A title" }];
  const answer = {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: 1200,
      candidatesTokenCount: 50,
      cachedContentTokenCount: 400,
      thoughtsTokenCount: 7,
      totalTokenCount: 1257,
    },
    modelVersion: model,
    responseId: freshId("resp"),
  };
  if (verb === "streamGenerateContent") stream(response, [{ data: answer }]);
  else {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(verb === "countTokens" ? { totalTokens: 1000 } : answer));
  }
  return turn;
}
