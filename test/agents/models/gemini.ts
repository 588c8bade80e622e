import type { ServerResponse } from "node:http";
import { freshId, type Move, movesAt, stream } from "./serve.ts";

function part(move: Move, names: string[]): any {
  if ("say" in move) return { text: move.say };
  if ("shell" in move)
    return { functionCall: { name: "run_shell_command", args: { command: move.shell, description: "Run it" } } };
  const name = names.find((one) => one.endsWith(move.tool)) ?? move.tool;
  return { functionCall: { name, args: move.input } };
}

/** The number of the model's answers since the last prompt. */
function stepOf(contents: any[]): number {
  const prompt = contents.findLastIndex(
    ({ role, parts }) => role === "user" && !parts.some((one: any) => one.functionResponse),
  );
  return contents.slice(prompt).filter(({ role }) => role === "model").length;
}

/** Requests beside the turn: the model to use, the next speaker, a title. */
const ASIDE = JSON.stringify({
  reasoning: "scripted",
  model_choice: "flash",
  next_speaker: "user",
  complexity_reasoning: "",
  complexity_score: 1,
});

/** POST /v1beta/models/MODEL:generateContent and the like. */
export function speakGemini(path: string, body: any, response: ServerResponse): boolean {
  const [, model, verb] = /models\/([^/:]+):(\w+)/.exec(path) ?? [];
  if (!model) return false;
  const names = (body.tools ?? []).flatMap((tool: any) => tool.functionDeclarations ?? []).map(({ name }: any) => name);
  const json = body.generationConfig?.responseMimeType === "application/json";
  const turn = names.length > 0 && !json && verb !== "countTokens";
  const parts = turn
    ? movesAt(stepOf(body.contents)).map((move) => part(move, names))
    : [{ text: json ? ASIDE : "A title" }];
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
