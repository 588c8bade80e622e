import { SESSION } from "../documents/session.ts";
import type { Graphql } from "../graphql.ts";
import type { Connection } from "../shapes/page.ts";
import type { EventNode } from "./event.ts";

/** A recorded conversation without its events. */
export interface SessionNode {
  id: string;
  startedAt: string;
  clientConfig: string | null;
  metadata: Record<string, unknown>;
  user: { id: string; traits: Record<string, unknown> } | null;
  totals: { events: number; failures: number };
}

const PAGE = 250;
const MOST_PAGES = 4;

/** A session and its events, oldest first; of a very long one the first thousand. */
export async function loadSession(
  graphql: Graphql,
  id: string,
): Promise<{ session: SessionNode; events: EventNode[] }> {
  const events: EventNode[] = [];
  let after: string | undefined;
  for (let page = 1; ; page += 1) {
    const { recordedSession } = await graphql<{
      recordedSession: SessionNode & { events: Connection<EventNode> };
    }>(SESSION.get, { id, first: PAGE, after });
    const { events: connection, ...session } = recordedSession;
    events.push(...connection.edges.map(({ node }) => node));
    after = connection.edges.at(-1)?.cursor;
    if (!connection.pageInfo.hasNextPage || page === MOST_PAGES) return { session, events };
  }
}
