import { checkedArguments } from "../arguments/parse.ts";
import { KeyRefused, ToolError } from "../errors.ts";
import { report } from "../log.ts";
import type { Caller } from "../request-context.ts";
import { bounded } from "../results/limit-size.ts";
import type { Tool } from "./define-tool.ts";

/** What tools/call answers: one text block, and the same as structured content. */
export interface CallResult {
  [member: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** Runs one tool. Every failure becomes an answer the model can act on. */
export async function callTool(tool: Tool, args: unknown, caller: Caller): Promise<CallResult> {
  try {
    const { result, json } = bounded(await tool.run(checkedArguments(tool, args), caller));
    return { content: [{ type: "text", text: json }], structuredContent: result };
  } catch (error) {
    if (error instanceof KeyRefused) caller.refused?.();
    return { content: [{ type: "text", text: words(error) }], isError: true };
  }
}

function words(error: unknown): string {
  if (error instanceof ToolError) return error.message;
  report(`unexpected: ${error instanceof Error ? error.stack : String(error)}`);
  return "The tool failed for a reason of its own, which its log has. Repeat the call once, then report it.";
}
