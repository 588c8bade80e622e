import { z } from "zod";
import type { GraphqlClient } from "../api/graphql.ts";
import { SESSION } from "../documents/recorded.ts";
import type { Connection } from "../results.ts";

/** An event as the documents about sessions ask for it. */
export interface EventNode {
  id: string;
  parentId: string | null;
  primitiveName: string;
  primitiveType: string | null;
  /** turn, tool, llm, subagent or other. */
  kind: string;
  open: boolean;
  args: string;
  result: string;
  success: boolean;
  /** The group of a failure: those that say the same. */
  failureGroupId: string | null;
  /** ms */
  latency: number | null;
  timestamp: string;
  orphan: boolean;
  checkpoints: CheckpointNode[];
}

/** A named milestone inside a tool call. */
export interface CheckpointNode {
  name: string;
  /** ms since the first milestone, and since the one before. */
  offset: number;
  delta: number;
  /** The share of the whole, 0 to 1. */
  share: number;
}

/** An event with those it triggered. */
export interface EventTree extends EventNode {
  children: EventTree[];
}

/** An event with those below it that failed, or led to one that did; nothing where none did. */
export function failedIn(tree: EventTree): EventTree[] {
  const children = tree.children.flatMap(failedIn);
  return !tree.success || children.length > 0 ? [{ ...tree, children }] : [];
}

/** The turns of a session, each with what hangs on it; events whose parent is not among them stand at the root. */
export function toTrees(events: EventNode[]): EventTree[] {
  const trees = new Map(events.map((event) => [event.id, { ...event, children: [] as EventTree[] }]));
  const roots: EventTree[] = [];
  for (const tree of trees.values()) {
    const parent = tree.parentId !== null && !tree.orphan ? trees.get(tree.parentId) : undefined;
    (parent ? parent.children : roots).push(tree);
  }
  return roots;
}

/** The tokens and cost of models, as documents ask for them. */
export interface UsageNode {
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  costSource: string;
}

/** The same as tools answer it: left out where there is none. */
export const USAGE_RESULT = {
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  cost_usd: z.number().optional(),
  cost_source: z.string().optional(),
};

/** Tokens and cost for an answer. */
export const toUsage = ({ inputTokens, outputTokens, cost, costSource }: UsageNode) => ({
  input_tokens: inputTokens || undefined,
  output_tokens: outputTokens || undefined,
  cost_usd: cost || undefined,
  // Costs that agents report are the rule, and need no words.
  cost_source: cost && costSource === "computed" ? costSource : undefined,
});

/** The beginning of a list. */
interface List<Node> {
  nodes: Node[];
  pageInfo: { hasNextPage: boolean };
}

/** A recorded session without its events. */
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

/** A session and its events, oldest first; of a very long one the first thousand. Long texts are clipped. */
export async function loadSession(graphql: GraphqlClient, id: string): Promise<Loaded> {
  const events: EventNode[] = [];
  for (let after: string | undefined; ; ) {
    type Data = { recordedSession: SessionNode & { events: Connection<EventNode> } };
    const { recordedSession } = await graphql<Data>(SESSION.get, { id, first: PAGE_SIZE, after });
    const { events: connection, ...session } = recordedSession;
    events.push(...connection.edges.map(({ node }) => node));
    after = connection.edges.at(-1)?.cursor;
    if (!connection.pageInfo.hasNextPage || events.length >= MAX_EVENTS) return { session, events };
  }
}

/** Characters shown of a path, its end, and of a commit's message. */
const [PATH, MESSAGE] = [120, 80];

/** The files that a session changed, as lines, the latest changed first. */
export const filesOf = ({ files }: SessionNode): string[] =>
  linesOf(files, ({ path, added, removed }) => `${path.slice(-PATH)} +${added} -${removed}`);

/** The commits of a session, as lines, the newest first. */
export const commitsOf = ({ commits }: SessionNode): string[] =>
  linesOf(commits, ({ id, message }) => `${id} ${message.slice(0, MESSAGE)}`);

const linesOf = <Node>({ nodes, pageInfo }: List<Node>, line: (node: Node) => string): string[] => [
  ...nodes.map(line),
  ...(pageInfo.hasNextPage ? ["…"] : []),
];
