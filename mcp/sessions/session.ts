import { z } from "zod";
import type { GraphqlClient } from "../api/graphql.ts";
import { SESSION_DOCUMENTS } from "../documents/recorded.ts";
import type { GraphqlConnection } from "../results.ts";

/** An event, with the fields that GraphQL documents for sessions request. */
export interface EventNode {
  id: string;
  parentId: string | null;
  primitiveName: string;
  primitiveType: string | null;
  /** Kind of the event: `turn`, `tool`, `llm`, `subagent` or `other`. */
  kind: string;
  open: boolean;
  args: string;
  result: string;
  success: boolean;
  /**
   * Id of the event's failure group. All failures in a group have the same name and the same message, apart from
   * variable parts such as numbers.
   */
  failureGroupId: string | null;
  /** ms */
  latency: number | null;
  timestamp: string;
  orphan: boolean;
  checkpoints: CheckpointNode[];
}

/** Checkpoint inside a tool call. */
export interface CheckpointNode {
  name: string;
  /** Milliseconds since the first checkpoint (`offset`) and since the previous checkpoint (`delta`). */
  offset: number;
  delta: number;
  /** `delta` as a fraction of the time between the first and the last checkpoint, from 0 to 1. */
  share: number;
}

/** Event with its child events. */
export interface EventTree extends EventNode {
  children: EventTree[];
}

/** Returns the tree with only failed events and their ancestors; an empty list if no event failed. */
export function keepFailedEvents(tree: EventTree): EventTree[] {
  const children = tree.children.flatMap(keepFailedEvents);
  return !tree.success || children.length > 0 ? [{ ...tree, children }] : [];
}

/** Builds trees from the events of a session. An event whose parent is missing becomes a root. */
export function toTrees(events: EventNode[]): EventTree[] {
  const trees = new Map(events.map((event) => [event.id, { ...event, children: [] as EventTree[] }]));
  const roots: EventTree[] = [];
  for (const tree of trees.values()) {
    const parent = tree.parentId !== null && !tree.orphan ? trees.get(tree.parentId) : undefined;
    (parent ? parent.children : roots).push(tree);
  }
  return roots;
}

/** Tokens and cost, with the fields that GraphQL documents request. */
export interface UsageNode {
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  costSource: string;
}

/** Tokens and cost in tool results. Missing values are omitted. */
export const USAGE_RESULT_SCHEMAS = {
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  cost_usd: z.number().optional(),
  cost_source: z.string().optional(),
};

/** Converts tokens and cost for a tool result. */
export const toUsage = ({ inputTokens, outputTokens, cost, costSource }: UsageNode) => ({
  input_tokens: inputTokens || undefined,
  output_tokens: outputTokens || undefined,
  cost_usd: cost || undefined,
  // Names the source of a cost only if Trackway computed the cost. Agents report most costs themselves.
  cost_source: cost && costSource === "computed" ? costSource : undefined,
});

/** First page of a list. */
interface List<Node> {
  nodes: Node[];
  pageInfo: { hasNextPage: boolean };
}

/** Recorded session without events. */
export interface SessionNode {
  id: string;
  startedAt: string;
  clientConfig: string | null;
  source: string | null;
  state: string;
  stateSince: string;
  waitsFor: string | null;
  metadata: Record<string, unknown>;
  user: { id: string; traits: Record<string, unknown> } | null;
  files: List<{ path: string; added: number; removed: number }>;
  commits: List<{ id: string; message: string }>;
  totals: UsageNode & { events: number; failures: number; models: string[] };
}

const PAGE_SIZE = 250;
const MAX_EVENTS = 1_000;

type Loaded = { session: SessionNode; events: EventNode[] };

/** Loads a session and its first 1,000 events, oldest first. Long texts are shortened. */
export async function loadSession(graphql: GraphqlClient, id: string): Promise<Loaded> {
  const events: EventNode[] = [];
  for (let after: string | undefined; ; ) {
    type Data = { recordedSession: SessionNode & { events: GraphqlConnection<EventNode> } };
    const { recordedSession } = await graphql<Data>(SESSION_DOCUMENTS.get, { id, first: PAGE_SIZE, after });
    const { events: connection, ...session } = recordedSession;
    events.push(...connection.edges.map(({ node }) => node));
    after = connection.edges.at(-1)?.cursor;
    if (!connection.pageInfo.hasNextPage || events.length >= MAX_EVENTS) return { session, events };
  }
}

/** Maximum number of characters shown: the last 120 of a path, and the first 80 of a commit message. */
const [PATH, MESSAGE] = [120, 80];

/** Returns the changed files of a session as lines, the most recently changed first. */
export const formatFiles = ({ files }: SessionNode): string[] =>
  linesOf(files, ({ path, added, removed }) => `${path.slice(-PATH)} +${added} -${removed}`);

/** Returns the commits of a session as lines, the newest first. */
export const formatCommits = ({ commits }: SessionNode): string[] =>
  linesOf(commits, ({ id, message }) => `${id} ${message.slice(0, MESSAGE)}`);

const linesOf = <Node>({ nodes, pageInfo }: List<Node>, line: (node: Node) => string): string[] => [
  ...nodes.map(line),
  ...(pageInfo.hasNextPage ? ["…"] : []),
];
