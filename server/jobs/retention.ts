import type { Database, Transaction } from "../../db/open.ts";
import { lockOf } from "../resources/recorded/retention-lock.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const NO_ID = "00000000-0000-0000-0000-000000000000";
/** Sessions that one look finds, and events that one transaction removes: it holds the organization's writers back. */
const SESSIONS = 100;
const EVENTS = 2_000;

const NEXT_ORGANIZATION = `
  select organization_id as id from recorded_session where organization_id > $1 order by organization_id limit 1`;

/** Nothing of it was received since $2. */
const EXPIRED = `s.organization_id = $1 and s.last_received_at < $2 and not exists (
  select from recorded_event e
   where e.organization_id = $1 and e.session_id = s.session_id and e.received_at >= $2)`;

const FIND = `
  select s.session_id as id from recorded_session s where ${EXPIRED} and s.session_id > $3 order by 1 limit ${SESSIONS}`;

const CHECK = `select s.session_id as id from recorded_session s where ${EXPIRED} and s.session_id = any($3::uuid[])`;

const DROP_EVENTS = `
  delete from recorded_event where organization_id = $1 and event_id in (
    select event_id from recorded_event where organization_id = $1 and session_id = any($2::uuid[]) limit ${EVENTS})
  returning 1`;

const DROP_SESSIONS = `
  delete from recorded_session s where organization_id = $1 and session_id = any($2::uuid[]) and not exists (
    select from recorded_event e where e.organization_id = $1 and e.session_id = s.session_id)
  returning user_id`;

const DROP_USERS = `
  delete from recorded_user u where organization_id = $1 and user_id = any($2::text[]) and not exists (
    select from recorded_session s where s.organization_id = $1 and s.user_id = u.user_id)`;

/**
 * Removes sessions of which nothing was received for `days`, with their events, and users whose last session goes.
 * In slices, and safe on any number of processes. Answers how many sessions it removed.
 */
export async function removeOldSessions(db: Database, days: number, now = Date.now()): Promise<number> {
  const before = new Date(now - days * DAY_MS);
  let removed = 0;
  for (let id: string | undefined = NO_ID; id; ) {
    const [next]: { id: string }[] = await db.query({ text: NEXT_ORGANIZATION, values: [id] });
    id = next?.id;
    if (id) removed += await removeFrom(db, id, before);
  }
  return removed;
}

async function removeFrom(db: Database, organizationId: string, before: Date): Promise<number> {
  let removed = 0;
  for (let after: string | undefined = NO_ID; after; ) {
    const found: { id: string }[] = await db.query({ text: FIND, values: [organizationId, before, after] });
    const ids = found.map(({ id }) => id);
    for (let slice: Slice = { more: ids.length > 0, sessions: 0 }; slice.more; removed += slice.sessions) {
      slice = await db.transaction((trx) => removeSlice(trx, organizationId, before, ids));
    }
    after = ids.at(-1);
  }
  return removed;
}

interface Slice {
  /** Whether events of these sessions are left. */
  more: boolean;
  sessions: number;
}

/** Looks again while no commit of this organization is under way: one may just have added to a session. */
async function removeSlice(trx: Transaction, organizationId: string, before: Date, ids: string[]): Promise<Slice> {
  await trx.query({ text: `select pg_advisory_xact_lock(${lockOf(organizationId)})` });
  const expired = await trx.query<{ id: string }>({ text: CHECK, values: [organizationId, before, ids] });
  const values = [organizationId, expired.map(({ id }) => id)];
  const events = await trx.query({ text: DROP_EVENTS, values });
  const sessions = await trx.query<{ user_id: string | null }>({ text: DROP_SESSIONS, values });
  const users = sessions.map(({ user_id }) => user_id);
  await trx.query({ text: DROP_USERS, values: [organizationId, users] });
  return { more: events.length === EVENTS, sessions: sessions.length };
}
