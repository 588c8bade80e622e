import { z } from "zod";
import { SESSION_DOCUMENTS } from "../../documents/recorded.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { toNonEmptyList, toNonEmptyText } from "../../results.ts";
import { renderTrees } from "../../sessions/render.ts";
import {
  type EventNode,
  formatCommits,
  formatFiles,
  keepFailedEvents,
  loadSession,
  type SessionNode,
  toTrees,
  toUsage,
  USAGE_RESULT_SCHEMAS,
  type UsageNode,
} from "../../sessions/session.ts";

const session = z.object({
  id: z.string(),
  user: z.string().optional(),
  traits: z.record(z.string(), z.unknown()).optional(),
  started: z.string(),
  client: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  state: z.string(),
  state_since: z.string(),
  waits_for: z.string().optional(),
  events: z.int(),
  failures: z.int().optional(),
  ...USAGE_RESULT_SCHEMAS,
  models: z.array(z.string()).optional(),
  files: z.array(z.string()).optional(),
  commits: z.array(z.string()).optional(),
  tree: z.string(),
});

/** Returns a recorded session as text within the size limit. */
export const getSession = defineTool({
  name: "get_session",
  title: "Get session",
  description: "Show a recorded session as a tree of turns and tool calls, with failures, durations and milestones.",
  toolset: "sessions",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({
    session_id: z.string(),
    failures_only: z.boolean().optional(),
    cursor: z.string().optional(),
  }),
  outputSchema: z.object({ session, next_cursor: z.string().optional(), truncated: z.boolean().optional() }),
  async handler({ session_id, failures_only, cursor }, { graphql }) {
    const { session: node, events } = await loadSession(graphql, session_id);
    const first = turnOf(cursor);
    const turns = toTrees(events);
    const trees = (failures_only ? turns.flatMap(keepFailedEvents) : turns).slice(first);
    const { text, shown } = renderTrees(trees);
    const more = shown < trees.length ? `turn:${first + shown}` : undefined;
    const truncated = events.length < node.totals.events ? true : undefined;
    return { session: { ...toSession(node), tree: text }, next_cursor: more, truncated };
  },
});

function turnOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const turn = /^turn:(\d{1,6})$/.exec(cursor)?.[1];
  if (turn === undefined) throw new ToolError("The cursor is not from get_session. Call again without cursor.");
  return Number(turn);
}

const filled = (value: Record<string, unknown> | undefined) =>
  value && Object.keys(value).length > 0 ? value : undefined;

function toSession(node: SessionNode): Omit<z.input<typeof session>, "tree"> {
  return {
    id: node.id,
    user: node.user?.id,
    traits: filled(node.user?.traits),
    started: node.startedAt,
    client: node.clientConfig ?? node.source ?? undefined,
    metadata: filled(node.metadata),
    state: node.state,
    state_since: node.stateSince,
    waits_for: node.waitsFor ?? undefined,
    events: node.totals.events,
    failures: node.totals.failures || undefined,
    ...toUsage(node.totals),
    models: toNonEmptyList(node.totals.models),
    files: toNonEmptyList(formatFiles(node)),
    commits: toNonEmptyList(formatCommits(node)),
  };
}

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
  ...USAGE_RESULT_SCHEMAS,
  args: z.string(),
  result: z.string(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  checkpoints: z.array(checkpoint).optional(),
});

interface Data {
  recordedEvent: EventNode &
    UsageNode & { model: string | null; metadata: Record<string, unknown>; session: { id: string } };
}

/** Returns a recorded event with its complete text. */
export const getEvent = defineTool({
  name: "get_event",
  title: "Get event",
  description: "Show one complete recorded turn or tool call: arguments, result, metadata, milestones (ms).",
  toolset: "sessions",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({ event_id: z.string() }),
  outputSchema: z.object({ event, truncated: z.boolean().optional() }),
  async handler({ event_id }, { graphql }) {
    const { recordedEvent } = await graphql<Data>(SESSION_DOCUMENTS.event, { id: event_id });
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
    type: toNonEmptyText(node.primitiveType),
    open: node.open || undefined,
    at: node.timestamp,
    success: node.success,
    latency_ms: node.latency ?? undefined,
    model: node.model ?? undefined,
    ...toUsage(node),
    args: node.args,
    result: node.result,
    metadata: metadata.length > 0 ? Object.fromEntries(metadata) : undefined,
    checkpoints: toNonEmptyList(node.checkpoints),
  };
}
