import { z } from "zod";
import type { Session } from "../client-context.ts";
import { ProtocolError } from "../errors.ts";
import { callTool } from "../registry/call-tool.ts";
import { TOOLS } from "../registry/tools.ts";
import { checkedParams } from "./handler.ts";
import type { Method } from "./index.ts";

const list = z.object({ cursor: z.never("there is one page only, so no cursor is valid").optional() });
const call = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});

/** tools/list and tools/call. */
export const toolMethods = {
  "tools/list": (params, { tools }) => {
    checkedParams(list, params);
    return { tools: [...tools.values()].map(({ definition }) => definition) };
  },
  "tools/call": async (params, session, signal) => {
    const { name, arguments: args, _meta } = checkedParams(call, params);
    const tool = session.tools.get(name);
    if (!tool) throw new ProtocolError(-32602, unknownTool(name, session));
    const timestamp = Date.now();
    const result = await callTool(tool, args, session.caller(signal));
    session.capture?.({ tool: name, args, result, timestamp, meta: _meta ?? {} });
    return result;
  },
} satisfies Record<string, Method>;

function unknownTool(name: string, { tools }: Session): string {
  const tool = TOOLS.get(name);
  if (!tool) return `Unknown tool: ${name}. There are: ${[...tools.keys()].join(", ")}.`;
  if (tool.needsIngestKey)
    return `Unknown tool: ${name} needs an ingest key. Configure TRACKER_INGEST_KEY, or send x-api-key over HTTP.`;
  return `Unknown tool: ${name} is not switched on here. Select its toolset, "${tool.toolset}".`;
}
