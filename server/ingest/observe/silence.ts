import type { ClientBase } from "pg";
import type { Database } from "../../../db/open.ts";
import { deletedOrganizations } from "../../accounts/deleted.ts";
import { inConnection } from "../store/connection.ts";
import { markHours } from "../store/marks.ts";
import type { Batch } from "./batch.ts";
import { momentsOf, settle } from "./merge/settle.ts";
import { readEvents, writeEvents } from "./store/event-rows.ts";
import { clearOpen } from "./store/open-rows.ts";
import { type Packet, sendPacket } from "./store/packet.ts";
import { showReplies } from "./store/replies.ts";
import { addFailures } from "./store/session-news.ts";
import { lockSessions } from "./store/session-rows.ts";
import { beginObserving } from "./transaction/begin.ts";

/** A turn of which nothing was heard for so long is over. */
const SILENCE_MS = 30 * 60 * 1000;
/** Sessions that one look finds. */
const SESSIONS = 100;

interface Silent {
  organization_id: string;
  session_id: string;
}

/**
 * Raw SQL, as docs/database.md says why. Closes the open events of sessions of which nothing was heard for half an hour. In slices, and safe on any number of
 * processes. Answers how many sessions it closed.
 */
export async function closeSilent(db: Database, now = Date.now()): Promise<number> {
  let closed = 0;
  const deleted = await deletedOrganizations(db);
  for (let after: Silent | undefined; ; ) {
    const found: Silent[] = await db.query({
      text: `select o.organization_id, o.session_id from recorded_open o
        join recorded_session s on s.organization_id = o.organization_id and s.session_id = o.session_id
        where (o.organization_id, o.session_id) > ($1::uuid, $2::uuid) and s.last_received_at < $3
        group by o.organization_id, o.session_id order by o.organization_id, o.session_id limit ${SESSIONS}`,
      values: [after?.organization_id ?? NONE, after?.session_id ?? NONE, new Date(now - SILENCE_MS)],
    });
    for (const silent of found.filter(({ organization_id }) => !deleted.has(organization_id))) {
      await inConnection(db, (client) => closeSession(client, silent, now));
      closed += 1;
    }
    after = found.at(-1);
    if (!after) return closed;
  }
}

const NONE = "00000000-0000-0000-0000-000000000000";

async function closeSession(client: ClientBase, { organization_id, session_id }: Silent, now: number): Promise<void> {
  try {
    await client.query(await beginObserving(client, { organizationId: organization_id }));
    await closeOpen(client, organization_id, session_id, now);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

async function closeOpen(client: ClientBase, organizationId: string, session: string, now: number): Promise<void> {
  const sessions = await lockSessions(client, { organizationId, now }, [], [session]);
  const row = sessions.get(session);
  // Something came while this waited.
  if (!row || row.last_received_at >= now - SILENCE_MS) return;
  const known = await readEvents(client, organizationId, { ids: [], openIn: [session], sessions: [] });
  const next: Batch["next"] = new Map();
  const above: Batch["above"] = new Map();
  for (const event of known) {
    if (!event.facts) continue;
    next.set(event.row.event_id, { session_id: session, facts: { ...event.facts, silent: true } });
    if (event.above !== null) above.set(event.row.event_id, event.above);
  }
  const nothing = { told: [], traces: new Map(), gone: new Map(), above, refused: new Map(), turns: new Map() };
  const batch: Batch = { organizationId, now, sessions, next, ...nothing };
  const parents = new Map(known.map(({ row: event }) => [event.event_id, event.parent_id]));
  const progress = new Map([[session, row.observed?.progress ?? {}]]);
  const { events, totals } = settle(batch, known, progress, (id) => parents.get(id) ?? null);
  const packet: Packet = markHours(organizationId, momentsOf(events, known, batch.gone));
  writeEvents(packet, organizationId, events);
  showReplies(packet, organizationId, events);
  clearOpen(packet, organizationId, session);
  // Closing changes nothing else that is counted.
  addFailures(packet, organizationId, session, totals.get(session)?.failures ?? 0);
  await sendPacket(client, packet);
}
