import { inParameters } from "../arguments/parameter-names.ts";
import { parseArguments } from "../arguments/parse.ts";
import { KeyRefused, ToolError } from "../errors.ts";
import { logWarning } from "../log.ts";
import type { RequestContext } from "../request-context.ts";
import { limitSize } from "../results/limit-size.ts";
import type { Tool } from "./define-tool.ts";

/** The answer of tools/call: one text block, and the same as structured content. */
export interface CallResult {
  [member: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** Runs one tool. Every failure becomes an answer the model can act on. */
export async function callTool(tool: Tool, args: unknown, context: RequestContext): Promise<CallResult> {
  try {
    const { result, json } = limitSize(await tool.handler(parseArguments(tool, args), context));
    return { content: [{ type: "text", text: json }], structuredContent: result };
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
