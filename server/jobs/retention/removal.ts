import { knex, toStatement } from "../../../db/builder.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { model } from "../../resources/index.ts";
import { markHours } from "../../resources/recorded/analytics/index.ts";
import {
  dropBeside,
  dropEvents,
  dropUsers,
  EVENTS,
  isAny,
  TAKE_OBSERVATIONS,
} from "../../resources/recorded/deletion/rows.ts";
import { lockOf } from "../../resources/recorded/retention/lock.ts";
import { dropSessions, expired } from "./expired.ts";

/** Sessions that one transaction removes: it holds the organization's writers back. */
const SESSIONS = 100;

/** Removes those of some sessions of which nothing was received since a moment. Answers how many they were. */
export async function removeSessions(
  db: Database,
  organizationId: string,
  before: Date,
  some: readonly string[],
): Promise<number> {
  let removed = 0;
  for (let from = 0; from < some.length; from += SESSIONS) {
    const ids = some.slice(from, from + SESSIONS);
    const gone = await db.query(toStatement(expired(organizationId, before).where(isAny("session_id", ids, "uuid"))));
    for (let slice: Slice = { more: gone.length > 0, sessions: 0 }; slice.more; removed += slice.sessions) {
      slice = await db.transaction((trx) => removeSlice(trx, organizationId, before, ids));
    }
  }
  return removed;
}

interface Slice {
  /** True when events of these sessions are left. */
  more: boolean;
  sessions: number;
}

/** Looks again while no commit of this organization is under way: one may just have added to a session. */
async function removeSlice(trx: Transaction, organizationId: string, before: Date, ids: string[]): Promise<Slice> {
  await trx.query(toStatement(knex.raw(`select pg_advisory_xact_lock(${lockOf(organizationId)})`)));
  const still = expired(organizationId, before).where(isAny("session_id", ids, "uuid"));
  const gone = (await trx.query<{ id: string }>(toStatement(still))).map(({ id }) => id);
  await trx.query({ text: TAKE_OBSERVATIONS, values: [organizationId, gone] });
  const events = await trx.query<{ timestamp: Date }>(toStatement(dropEvents(organizationId, gone)));
  const moments = events.map(({ timestamp }) => timestamp.getTime());
  for (const marks of markHours(organizationId, moments)) await trx.query(marks);
  const sessions = await trx.query<{ session_id: string; user_id: string | null }>(
    toStatement(dropSessions(organizationId, gone)),
  );
  const removed = sessions.map(({ session_id }) => session_id);
  for (const beside of dropBeside(model, organizationId, removed)) await trx.query(toStatement(beside));
  const users = sessions.flatMap(({ user_id }) => user_id ?? []);
  await trx.query(toStatement(dropUsers(organizationId, users)));
  return { more: events.length === EVENTS, sessions: sessions.length };
}
