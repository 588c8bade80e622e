import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { eachOrganization, NO_ID } from "../organizations.ts";
import { inMetadata, namedBy, namedIn, type Texts } from "./identifiers.ts";
import { ARRIVED, DUE, LINK, MARK, TEXTS } from "./statements.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Sessions that one look finds, and sessions of an organization that one pass looks through. */
const SESSIONS = 50;
const MOST = 2_000;
/** Events that are read at once: their texts are as long as a prompt. */
const EVENTS = 100;
/** Links to awaited sessions that one statement makes. */
const ARRIVALS = 500;
/** A session of which nothing came for so long is not awaited any more. */
const AWAITED_MS = 30 * DAY_MS;

/** A session with something new in it. */
interface Due {
  id: string;
  metadata: string;
  events: number | null;
  scannedAt: Date | null;
  /** As far as all has come that ever will. */
  scansTo: Date;
}

/**
 * Links sessions that began since a moment, or all, to the issues that they name in prompts, branches and commits. What was
 * looked through is remembered with the session, so that a pass that ends early, or is killed, is gone on with by the
 * next. Safe on any number of processes: each statement may run twice. Answers how many sessions it looked through.
 */
export const linkMentions = (db: Database, since: Date | null): Promise<number> =>
  eachOrganization(db, { table: "teamKey", tenant: "organizationId" }, async (organizationId) => {
    let seen = 0;
    for (let after: string | undefined = NO_ID; after && seen < MOST; ) {
      const due: Due[] = await db.query({ text: DUE, values: [organizationId, after, since, SESSIONS] });
      for (const session of due) await lookThrough(db, organizationId, session);
      seen += due.length;
      after = due.at(-1)?.id;
    }
    return seen;
  });

/** The same for sessions of the last two days, which are nearly all that grow. */
export const linkNewMentions = (db: Database, now = Date.now()): Promise<number> =>
  linkMentions(db, new Date(now - 2 * DAY_MS));

async function lookThrough(db: Database, organizationId: string, session: Due): Promise<void> {
  if (!session.scannedAt) await link(db, organizationId, session.id, namedIn(inMetadata(session.metadata)));
  let place = { timestamp: "-infinity" as string | Date, id: NO_ID };
  for (let size = EVENTS; size === EVENTS; ) {
    const values = [organizationId, session.id, place.timestamp, place.id, session.scannedAt, EVENTS];
    const events: (Texts & typeof place)[] = await db.query({ text: TEXTS, values });
    await link(db, organizationId, session.id, [...new Set(events.flatMap(namedBy))]);
    size = events.length;
    place = events.at(-1) ?? place;
  }
  await db.query({ text: MARK, values: [organizationId, session.id, session.scansTo, session.events] });
}

async function link(db: Database, organizationId: string, sessionId: string, named: readonly string[]): Promise<void> {
  if (named.length === 0) return;
  const parts = named.map((identifier) => identifier.split("-"));
  const values = [organizationId, sessionId, parts.map(([key]) => key), parts.map(([, number]) => Number(number))];
  await db.query({ text: LINK, values });
}

/** Links issues to sessions that were named before anything of them was recorded; forgets those that never came. */
export async function linkArrived(db: Database, now = Date.now()): Promise<number> {
  const table = { table: "awaitedSession", tenant: "organizationId" };
  const linked = await eachOrganization(db, table, async (organizationId) => {
    let sum = 0;
    for (let size = ARRIVALS; size === ARRIVALS; sum += size) {
      size = (await db.query({ text: ARRIVED, values: [organizationId, ARRIVALS] })).length;
    }
    return sum;
  });
  await db.query(
    toStatement(
      knex("awaitedSession")
        .where("createdAt", "<", new Date(now - AWAITED_MS))
        .delete(),
    ),
  );
  return linked;
}
