import { z } from "zod";
import type { ClientContext } from "../client-context.ts";
import { ProtocolError } from "../errors.ts";
import { callTool } from "../registry/call-tool.ts";
import { TOOLS } from "../registry/tools.ts";
import { defineHandler } from "./handler.ts";

const listParams = z.object({ cursor: z.never("there is one page only, so no cursor is valid").optional() });
const callParams = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});

/** Handlers of tools/list and tools/call. */
export const toolHandlers = [
  defineHandler("tools/list", listParams, (_, { tools }) => ({
    tools: [...tools.values()].map(({ definition }) => definition),
  })),
  defineHandler("tools/call", callParams, async ({ name, arguments: args, _meta }, client, signal) => {
    const tool = client.tools.get(name);
    if (!tool) throw new ProtocolError(-32602, unknownTool(name, client));
    const timestamp = Date.now();
    const begun = performance.now();
    const result = await callTool(tool, args, client.request(signal));
    client.capture?.({ tool: name, args, result, timestamp, latency: performance.now() - begun, meta: _meta ?? {} });
    return result;
  }),
];

function unknownTool(name: string, { tools }: ClientContext): string {
  const tool = TOOLS.get(name);
  if (!tool) return `Unknown tool: ${name}. There are: ${[...tools.keys()].join(", ")}.`;
  if (tool.needsIngestKey)
    return `Unknown tool: ${name} needs an ingest key. Configure TRACKER_INGEST_KEY, or send x-api-key over HTTP.`;
  return `Unknown tool: ${name} is not switched on here. Select its toolset, "${tool.toolset}".`;
}
