import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { eachOrganization } from "../organizations.ts";
import { keepPlace, type Place, placeOf, START } from "../positions.ts";
import { removeSessions } from "./removal.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** The most sessions that one query reads. */
const SESSIONS = 500;
/** Sessions of an organization that stay, of those that one pass reads; the next one goes on behind them. */
const KEPT = 5_000;

/**
 * The walks that find silent sessions. A session is received when it began, or later: those that began long ago have an
 * index. Those that began later than they were received, by a clock that was ahead, have their own.
 */
const WALKS = {
  aged: (before: Date) => knex.raw("timestamp < ?", [new Date(before.getTime() + HOUR_MS)]),
  ahead: () => knex.raw("timestamp - received_at > interval '1 hour'"),
};
type Walk = keyof typeof WALKS;

/**
 * Removes sessions of which nothing was received for `days`, with their events, and users whose last session goes.
 * In slices, and safe on any number of processes. Answers how many sessions it removed.
 */
export async function removeOldSessions(db: Database, days: number, now = Date.now()): Promise<number> {
  const before = new Date(now - days * DAY_MS);
  return eachOrganization(db, { table: "recorded_session" }, async (id) => {
    let removed = 0;
    for (const walk of ["aged", "ahead"] as const) removed += await removeAlong(db, id, before, walk);
    return removed;
  });
}

async function removeAlong(db: Database, organizationId: string, before: Date, walk: Walk): Promise<number> {
  let place = await placeOf(db, organizationId, walk);
  for (let [removed, kept] = [0, 0]; ; ) {
    const found: Found[] = await db.query(lookFrom(place, organizationId, WALKS[walk](before), before));
    const old = found.filter(({ isOld }) => isOld).map(({ id }) => id);
    const gone = await removeSessions(db, organizationId, before, old);
    removed += gone;
    kept += found.length - gone;
    const last = found.length === SESSIONS ? found.at(-1) : undefined;
    place = last ?? START;
    if (last && kept < KEPT) continue;
    await keepPlace(db, organizationId, walk, place);
    return removed;
  }
}

interface Found extends Place {
  isOld: boolean;
}

/** The next sessions of a walk behind a place, in the order of its index. */
const lookFrom = ({ at, id }: Place, organization_id: string, along: ReturnType<typeof knex.raw>, before: Date) =>
  toStatement(
    knex("recorded_session")
      .where({ organization_id })
      .whereRaw(along)
      .whereRaw("(timestamp, session_id) > (?::timestamptz, ?::uuid)", [at, id])
      .orderBy(["timestamp", "session_id"])
      .limit(SESSIONS)
      .select({ id: "session_id", at: knex.raw("timestamp::text"), isOld: knex.raw("last_received_at < ?", [before]) }),
  );
