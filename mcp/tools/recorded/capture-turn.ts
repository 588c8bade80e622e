import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { isUuid } from "../../../formats/uuid.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { toNonEmptyList } from "../../results.ts";

const toolCall = z.strictObject({
  name: z.string().min(1),
  args: z.string().describe("JSON text"),
  result: z.string().describe("JSON text"),
  success: z.boolean().optional(),
  latency: z.int().min(0).max(86_400_000).optional().describe("ms"),
});

interface Captured {
  results: { event_id: string; status: "accepted" | "rejected"; reason: string }[];
}

/** Records one turn of a conversation with its tool calls. */
export const captureTurn = defineTool({
  name: "capture_turn",
  title: "Capture turn",
  description: "Record a conversation turn: the user's message, the reply, and the tool calls between them.",
  toolset: "sessions",
  annotations: ANNOTATIONS.adds,
  needsIngestKey: true,
  inputSchema: z.strictObject({
    session_id: z.string().describe("conversation's UUID; new UUIDs start sessions"),
    user_id: z.string().min(1).max(256).describe("pseudonym"),
    agent: z.string().min(1).max(256),
    user_message: z.string(),
    reply: z.string(),
    tool_calls: z.array(toolCall).max(499).optional(),
  }),
  outputSchema: z.object({
    turn: z.object({ session_id: z.string(), event_id: z.string(), tool_event_ids: z.array(z.string()).optional() }),
  }),
  async handler({ session_id, user_id, agent, user_message, reply, tool_calls = [] }, { ingest }) {
    if (!ingest) throw new ToolError("The ingest key is missing. Set TRACKER_INGEST_KEY and call again.");
    if (!isUuid(session_id))
      throw new ToolError("session_id is no UUID. Make one for the conversation and call again.");
    await ingest.post("capture-session", { session_id, user_data: { user_id }, client_config: "trackway-mcp" });
    const event_id = uuidv7();
    const turn = { event_id, session_id, primitive_name: agent, args: user_message, result: reply };
    const tools = tool_calls.map(({ name, ...call }) => ({
      event_id: uuidv7(),
      session_id,
      parent_id: event_id,
      primitive_name: name,
      primitive_type: "tool",
      ...call,
    }));
    const { results } = await ingest.post<Captured>("capture-events", { events: [turn, ...tools] });
    const refused = results.filter(({ status }) => status === "rejected");
    if (refused.length > 0) throw new ToolError(refusal(refused.length, results.length, refused[0]?.reason ?? ""));
    return { turn: { session_id, event_id, tool_event_ids: toNonEmptyList(tools.map((tool) => tool.event_id)) } };
  },
});

function refusal(refused: number, all: number, reason: string): string {
  const kept = all - refused > 0 ? ` The other ${all - refused} are kept: leave them out.` : "";
  return `${refused} of ${all} events were rejected: ${reason}.${kept} Correct this and call again.`;
}
