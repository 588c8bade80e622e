import { z } from "zod";
import { SESSION } from "../documents/session.ts";
import { ANNOTATIONS, defineTool } from "../registry/define-tool.ts";
import { nonEmpty, nonEmptyList } from "../results/format.ts";
import type { EventNode } from "../sessions/event.ts";
import { toUsage, USAGE_RESULT, type UsageNode } from "../sessions/usage.ts";

const checkpoint = z.object({ name: z.string(), offset: z.number(), delta: z.number(), share: z.number() });

const event = z.object({
  id: z.string(),
  session_id: z.string(),
  parent_id: z.string().optional(),
  orphan: z.boolean().optional(),
  name: z.string(),
  type: z.string().optional(),
  open: z.boolean().optional(),
  at: z.string(),
  success: z.boolean(),
  latency_ms: z.number().optional(),
  model: z.string().optional(),
  ...USAGE_RESULT,
  args: z.string(),
  result: z.string(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  checkpoints: z.array(checkpoint).optional(),
});

interface Data {
  recordedEvent: EventNode &
    UsageNode & { model: string | null; metadata: Record<string, unknown>; session: { id: string } };
}

/** One recorded event whole. */
export const getEvent = defineTool({
  name: "get_event",
  title: "Get event",
  description: "Show one recorded turn or tool call whole: arguments, result, metadata, milestones (ms).",
  toolset: "sessions",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({ event_id: z.string() }),
  outputSchema: z.object({ event, truncated: z.boolean().optional() }),
  async handler({ event_id }, { graphql }) {
    const { recordedEvent } = await graphql<Data>(SESSION.event, { id: event_id });
    return { event: toEvent(recordedEvent) };
  },
});

function toEvent(node: Data["recordedEvent"]): z.input<typeof event> {
  const metadata = Object.entries(node.metadata ?? {}).filter(([key]) => !key.startsWith("checkpoint."));
  return {
    id: node.id,
    session_id: node.session.id,
    parent_id: node.parentId ?? undefined,
    orphan: node.orphan || undefined,
    name: node.primitiveName,
    type: nonEmpty(node.primitiveType),
    open: node.open || undefined,
    at: node.timestamp,
    success: node.success,
    latency_ms: node.latency ?? undefined,
    model: node.model ?? undefined,
    ...toUsage(node),
    args: node.args,
    result: node.result,
    metadata: metadata.length > 0 ? Object.fromEntries(metadata) : undefined,
    checkpoints: nonEmptyList(node.checkpoints),
  };
}
