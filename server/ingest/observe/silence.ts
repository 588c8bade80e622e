import type { ClientBase } from "pg";
import type { Database } from "../../../db/open.ts";
import { deletedOrganizations } from "../../accounts/deleted.ts";
import { NO_ID } from "../../id.ts";
import { markHours } from "../../resources/recorded/analytics/index.ts";
import { inConnection } from "../store/connection.ts";
import type { Batch } from "./batch.ts";
import { type Facts, mayBeAlone } from "./facts.ts";
import { momentsOf, settle } from "./merge/settle.ts";
import type { EventRow } from "./project.ts";
import { readEvents, writeEvents } from "./store/event-rows.ts";
import { clearOpen, writeOpen } from "./store/open-rows.ts";
import { type Packet, sendPacket } from "./store/packet.ts";
import { showReplies } from "./store/replies.ts";
import { lockSessions } from "./store/session-rows.ts";
import { addClosed } from "./store/session-updates.ts";
import { noTotals } from "./totals.ts";
import { beginObserving } from "./transaction/begin.ts";

/** A turn without a report for so long is over. */
const SILENCE_MS = 30 * 60 * 1000;
/** An agent's span waits so long for the event around it; looking for it takes as long at most. */
const ALONE_MS = 30 * 1000;
/** The most sessions that one search finds. */
const SESSIONS = 100;

/** Events that stay open because no report ends them, and the way in which they close. */
interface Closing {
  afterMs: number;
  /** SQL of the sessions that have one, of the open events `o`; $3 is the time since which no report came. */
  found: string;
  /** The facts of an open event once the time is over; undefined where this closing does not concern it. */
  close(facts: Facts, row: EventRow, before: number): Facts | undefined;
}

const SILENT: Closing = {
  afterMs: SILENCE_MS,
  found: `join recorded_session s on s.organization_id = o.organization_id and s.session_id = o.session_id
    where s.last_received_at < $3`,
  close: (facts) => ({ ...facts, silent: true }),
};

const ALONE: Closing = {
  afterMs: ALONE_MS,
  found: `join recorded_event e on e.organization_id = o.organization_id and e.event_id = o.event_id
    where e.kind = 'subagent' and e.parent_id is null and e.observed ? 'parentSpan' and e.received_at < $3`,
  close: (facts, { parent_id, received_at }, before) =>
    mayBeAlone(facts, parent_id) && received_at < before ? { ...facts, alone: true } : undefined,
};

interface Session {
  organization_id: string;
  session_id: string;
}

/**
 * Raw SQL, as docs/database.md says why. Closes the open events of sessions without a report for half an hour, and
 * makes turns of agents whose surroundings did not come. In slices, and safe on any number of processes. Answers how many sessions it closed.
 */
export const closeSilent = async (db: Database, now = Date.now()): Promise<number> =>
  (await closeAll(db, ALONE, now)) + (await closeAll(db, SILENT, now));

async function closeAll(db: Database, closing: Closing, now: number): Promise<number> {
  let closed = 0;
  const deleted = await deletedOrganizations(db);
  for (let after: Session | undefined; ; ) {
    const found: Session[] = await db.query({
      text: `select o.organization_id, o.session_id from recorded_open o ${closing.found}
          and (o.organization_id, o.session_id) > ($1::uuid, $2::uuid)
        group by o.organization_id, o.session_id order by o.organization_id, o.session_id limit ${SESSIONS}`,
      values: [after?.organization_id ?? NO_ID, after?.session_id ?? NO_ID, new Date(now - closing.afterMs)],
    });
    for (const session of found.filter(({ organization_id }) => !deleted.has(organization_id))) {
      await inConnection(db, { queueClass: "upkeep", tenant: session.organization_id }, (client) =>
        closeSession(client, session, closing, now),
      );
      closed += 1;
    }
    after = found.at(-1);
    if (!after) return closed;
  }
}

async function closeSession(client: ClientBase, session: Session, closing: Closing, now: number): Promise<void> {
  const { organization_id } = session;
  try {
    await client.query(await beginObserving(client, { organizationId: organization_id }));
    await closeOpen(client, session, closing, now);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

async function closeOpen(
  client: ClientBase,
  { organization_id: organizationId, session_id: session }: Session,
  closing: Closing,
  now: number,
): Promise<void> {
  const sessions = await lockSessions(client, { organizationId, now }, [], [session]);
  const row = sessions.get(session);
  const before = now - closing.afterMs;
  // Something came while this waited.
  if (!row || (closing === SILENT && row.last_received_at >= before)) return;
  const known = await readEvents(client, organizationId, { ids: [], openIn: [session], sessions: [] });
  const next: Batch["next"] = new Map();
  const above: Batch["above"] = new Map();
  for (const event of known) {
    const facts = event.facts && closing.close(event.facts, event.row, before);
    if (!event.facts || !facts) continue;
    next.set(event.row.event_id, { session_id: session, facts });
    if (event.above !== null) above.set(event.row.event_id, event.above);
  }
  const nothing = { kept: [], traces: new Map(), gone: new Map(), above, refused: new Map(), turns: new Map() };
  const batch: Batch = { organizationId, now, sessions, next, ...nothing };
  const parents = new Map(known.map(({ row: event }) => [event.event_id, event.parent_id]));
  const progress = new Map([[session, row.observed?.progress ?? {}]]);
  const { events, totals } = settle(batch, known, progress, (id) => parents.get(id) ?? null);
  const packet: Packet = markHours(organizationId, momentsOf(events, known, batch.gone));
  writeEvents(packet, organizationId, events);
  showReplies(packet, organizationId, events);
  if (closing === SILENT) clearOpen(packet, organizationId, session);
  else writeOpen(packet, organizationId, known, { events, gone: batch.gone });
  // Closing changes nothing else that is counted.
  addClosed(packet, organizationId, session, totals.get(session) ?? noTotals());
  await sendPacket(client, packet);
}
