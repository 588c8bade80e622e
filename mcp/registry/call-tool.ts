import { inParameters, parseArguments } from "../arguments/parse.ts";
import type { RequestContext } from "../client-context.ts";
import { KeyRefused, ToolError } from "../errors.ts";
import { logWarning } from "../log.ts";
import { limitSize } from "../results.ts";
import type { Tool } from "./define-tool.ts";

/** Calls of this process, by `tool,outcome`. */
const calls = new Map<string, number>();

function countCall(tool: string, outcome: "ok" | "error"): void {
  const key = `${tool},${outcome}`;
  calls.set(key, (calls.get(key) ?? 0) + 1);
}

/** The number of calls of each tool that worked and that failed. */
export const callsCounted = (): { tool: string; outcome: string; times: number }[] =>
  [...calls].map(([key, times]) => {
    const [tool = "", outcome = ""] = key.split(",");
    return { tool, outcome, times };
  });

const BEHIND = "What was recorded in the last moments may be missing. Repeat the call for it.";

/** The answer of tools/call: one text block, and the same as structured content; another text where it may lack something. */
export interface CallResult {
  [member: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** Runs one tool. Every failure becomes an answer the model can act on. */
export async function callTool(tool: Tool, args: unknown, context: RequestContext): Promise<CallResult> {
  const result = await resultOf(tool, args, context);
  countCall(tool.name, result.isError ? "error" : "ok");
  return result;
}

async function resultOf(tool: Tool, args: unknown, context: RequestContext): Promise<CallResult> {
  try {
    const { result, json } = limitSize(await tool.handler(parseArguments(tool, args), context));
    const texts = context.isBehind ? [json, BEHIND] : [json];
    return { content: texts.map((text) => ({ type: "text", text })), structuredContent: result };
  } catch (error) {
    if (error instanceof KeyRefused) context.onKeyRefused?.();
    return { content: [{ type: "text", text: errorText(tool, error) }], isError: true };
  }
}

function errorText(tool: Tool, error: unknown): string {
  if (error instanceof ToolError) return inParameters(error.message, Object.keys(tool.inputSchema.shape));
  logWarning(`unexpected: ${error instanceof Error ? error.stack : String(error)}`);
  return "The tool failed for a reason of its own, which its log has. Repeat the call once, then report it.";
}
