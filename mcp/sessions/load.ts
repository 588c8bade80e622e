import { SESSION } from "../documents/session.ts";
import { AnswerTooLong, ToolError } from "../errors.ts";
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

/** Events may hold 2 MiB each: where many are long, fewer are asked for at a time. */
const PAGES = [250, 50, 10];
const MOST_EVENTS = 1_000;

type Loaded = { session: SessionNode; events: EventNode[] };

/** A session and its events, oldest first; of a very long one the first thousand. */
export async function loadSession(graphql: Graphql, id: string): Promise<Loaded> {
  for (const size of PAGES) {
    try {
      return await loadInPages(graphql, id, size);
    } catch (error) {
      if (!(error instanceof AnswerTooLong)) throw error;
    }
  }
  throw new ToolError(`The events of session ${id} are too long to show together. Look at single ones with get_event.`);
}

async function loadInPages(graphql: Graphql, id: string, first: number): Promise<Loaded> {
  const events: EventNode[] = [];
  for (let after: string | undefined; ; ) {
    type Data = { recordedSession: SessionNode & { events: Connection<EventNode> } };
    const { recordedSession } = await graphql<Data>(SESSION.get, { id, first, after });
    const { events: connection, ...session } = recordedSession;
    events.push(...connection.edges.map(({ node }) => node));
    after = connection.edges.at(-1)?.cursor;
    if (!connection.pageInfo.hasNextPage || events.length >= MOST_EVENTS) return { session, events };
  }
}
