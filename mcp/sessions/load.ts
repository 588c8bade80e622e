import type { GraphqlClient } from "../api/graphql.ts";
import { SESSION } from "../documents/session.ts";
import type { Connection } from "../results/page.ts";
import type { EventNode } from "./event.ts";
import type { UsageNode } from "./usage.ts";

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
