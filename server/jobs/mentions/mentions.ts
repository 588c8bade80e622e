import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { EVERY_ID, NO_ID } from "../../id.ts";
import { eachOrganization } from "../organizations.ts";
import { rollUpTotals } from "../totals/roll-up.ts";
import { linkNamed } from "./arrived.ts";
import { inMetadata, namedBy, namedIn, type Texts } from "./identifiers.ts";
import { DUE, LINK, MARK, TEXTS } from "./statements.ts";

/** Sessions that one query finds, and sessions of an organization that one pass searches. */
const SESSIONS = 50;
const MOST = 2_000;
/** Events that are read at once: their texts are as long as a prompt. */
const EVENTS = 100;

/** A session with something new in it. */
interface Due {
  id: string;
  externalId: string | null;
  metadata: string;
  /** As SQL spells it: it may be infinite. */
  unreadFrom: string;
  /** The version of its row, as it was read. */
  version: string;
  /** True when issues await it. */
  awaited: boolean;
}

/** Behind every session. */
const LAST = { unreadFrom: "infinity", id: EVERY_ID };

/**
 * Links sessions with something new to the issues that they name in prompts, branches and commits, and that await them.
 * A session stays due until it was looked through, so that a pass that ends early, or is killed, is gone on with by the
 * next. Safe on any number of processes: each statement may run twice. Answers how many sessions it looked through.
 */
export async function linkMentions(db: Database): Promise<number> {
  // A session does not know deltas that are not rolled up.
  await rollUpTotals(db);
  const due = { table: "recorded_session", only: "unread_from is not null", followedBy: "unread_from" };
  return eachOrganization(db, due, async (organizationId) => {
    if (!(await hasTeams(db, organizationId))) return 0;
    let seen = 0;
    for (let last: typeof LAST | undefined = LAST; last && seen < MOST; ) {
      const values = [organizationId, last.unreadFrom, last.id, SESSIONS];
      const found: Due[] = await db.query({ text: DUE, values });
      for (const session of found) await lookThrough(db, organizationId, session);
      seen += found.length;
      last = found.at(-1);
    }
    return seen;
  });
}

/** An organization without a team has no issues to name: its sessions wait until it has one. */
async function hasTeams(db: Database, organizationId: string): Promise<boolean> {
  const any = knex("teamKey").where({ organizationId }).select("key").limit(1);
  return (await db.query(toStatement(any))).length > 0;
}

async function lookThrough(db: Database, organizationId: string, session: Due): Promise<void> {
  const { id, externalId, metadata, unreadFrom, version } = session;
  if (session.awaited) await linkNamed(db, organizationId, externalId === null ? [id] : [id, externalId]);
  await link(db, organizationId, id, namedIn(inMetadata(metadata)));
  let place = { timestamp: unreadFrom as string | Date, id: NO_ID };
  for (let size = unreadFrom === "infinity" ? 0 : EVENTS; size === EVENTS; ) {
    const values = [organizationId, id, place.timestamp, place.id, EVENTS];
    const events: (Texts & typeof place)[] = await db.query({ text: TEXTS, values });
    await link(db, organizationId, id, [...new Set(events.flatMap(namedBy))]);
    size = events.length;
    place = events.at(-1) ?? place;
  }
  await db.query({ text: MARK, values: [organizationId, id, version] });
}

async function link(db: Database, organizationId: string, sessionId: string, named: readonly string[]): Promise<void> {
  if (named.length === 0) return;
  const parts = named.map((identifier) => identifier.split("-"));
  const values = [organizationId, sessionId, parts.map(([key]) => key), parts.map(([, number]) => Number(number))];
  await db.query({ text: LINK, values });
}
