import { parseArguments, toToolErrorMessage } from "../arguments/parse.ts";
import type { RequestContext } from "../client-context.ts";
import { KeyRefusedError, ToolError } from "../errors.ts";
import { logWarning } from "../log.ts";
import { limitSize } from "../results.ts";
import type { Tool } from "./define-tool.ts";

/** Number of tool calls in this process. The key has the form `tool,outcome`. */
const calls = new Map<string, number>();

function countCall(tool: string, outcome: "ok" | "error"): void {
  const key = `${tool},${outcome}`;
  calls.set(key, (calls.get(key) ?? 0) + 1);
}

/** Returns the numbers of successful and failed calls of each tool. */
export const readCallCounts = (): { tool: string; outcome: string; times: number }[] =>
  [...calls].map(([key, times]) => {
    const [tool = "", outcome = ""] = key.split(",");
    return { tool, outcome, times };
  });

const BEHIND = "The newest recorded events may be missing. Repeat the call to include them.";

/**
 * Result of tools/call: one text block with the JSON, and the same data as structured content. A second text warns if
 * recent events may be missing.
 */
export interface CallResult {
  [member: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** Runs one tool. Every error becomes a result that tells the model the cause and the next step. */
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
    if (error instanceof KeyRefusedError) context.onKeyRefused?.();
    return { content: [{ type: "text", text: errorText(tool, error) }], isError: true };
  }
}

function errorText(tool: Tool, error: unknown): string {
  if (error instanceof ToolError) return toToolErrorMessage(error.message, Object.keys(tool.inputSchema.shape));
  logWarning(`unexpected: ${error instanceof Error ? error.stack : String(error)}`);
  return "The tool failed because of an error in Trackway's MCP server. The server's log contains the error. Repeat the call once; if it fails again, report the error.";
}
