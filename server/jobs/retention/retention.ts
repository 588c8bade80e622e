import { knex, toStatement } from "../../../db/builder.ts";
import { PartRunner, runEachPart } from "../../../db/errors/parts.ts";
import type { Database, Statement } from "../../../db/open.ts";
import { DAY_MS, HOUR_MS } from "../../../formats/time.ts";
import {
  hasTextsSql,
  isKeptByRetentionSql,
  type RetentionPart,
  retentionDaysSql,
  shortestRetentionSql,
} from "../../resources/recorded/retention/due.ts";
import {
  eachOrganization,
  readScanPosition,
  SCAN_START,
  type ScanPosition,
  storeScanPosition,
} from "../organizations.ts";
import { clearInactiveSessionTexts, removeSessions } from "./removal.ts";

/**
 * Returns the shortest retention of a part among all sessions of an organization, in days; undefined if the part is
 * never removed. `most` is the limit in the server's configuration.
 */
async function fewest(
  db: Database,
  part: RetentionPart,
  organizationId: string,
  most: number,
): Promise<number | undefined> {
  const text = `select ${shortestRetentionSql(part, "$1::uuid", "$2::integer")} as days`;
  const [row] = await db.query<{ days: number | null }>({ text, values: [organizationId, most] });
  return row?.days ?? undefined;
}

const SESSION = { alias: "s", organization: "$1::uuid" };

/**
 * Raw SQL, like the retention rules. Selects the given sessions and, for each session, the number of days after which
 * the part is removed. Leaves out held sessions, and sessions without the part.
 */
const daysText = (
  part: RetentionPart,
): string => `select s.session_id as id, ${retentionDaysSql(part, SESSION, "$3::integer")} as days
  from recorded_session s where s.organization_id = $1 and s.session_id = any($2::uuid[]) and not ${isKeptByRetentionSql(SESSION)}
    ${part === "texts" ? `and ${hasTextsSql(SESSION)}` : ""}`;

const daysStatement = (part: RetentionPart, values: unknown[]): Statement => ({ text: daysText(part), values });

/** Groups sessions by the number of days after which a part is removed. */
async function byDays(
  db: Database,
  part: RetentionPart,
  organizationId: string,
  ids: readonly string[],
  most: number,
): Promise<Map<number, string[]>> {
  const groups = new Map<number, string[]>();
  if (ids.length === 0) return groups;
  const rows = await db.query<{ id: string; days: number | null }>(daysStatement(part, [organizationId, ids, most]));
  for (const { id, days } of rows) if (days !== null) groups.set(days, [...(groups.get(days) ?? []), id]);
  return groups;
}

/** Maximum sessions per query. */
const SESSIONS = 500;
/**
 * Maximum sessions per organization that one pass reads without removing anything. The next pass continues after the
 * last session that was read.
 */
const KEPT = 5_000;

/**
 * Two walks that find sessions without new records. `aged` uses an index to find sessions that started long ago,
 * because a session usually starts before the server receives the session. `ahead` uses a separate index to find
 * sessions whose start is later than their receipt, because the sender's clock was ahead.
 */
const WALKS = {
  aged: (before: Date) => knex.raw("timestamp < ?", [new Date(before.getTime() + HOUR_MS)]),
  ahead: () => knex.raw("timestamp - received_at > interval '1 hour'"),
};
type Walk = keyof typeof WALKS;

/**
 * Removes one part of each given session: the whole session, or only its text. Resolves with the number of sessions.
 */
type Remove = (db: Database, organizationId: string, before: Date, ids: string[]) => Promise<number>;

/** For each part of a session, the function that removes the part, and the prefix for the names of the part's walks. */
const PARTS: Record<RetentionPart, { prefix: string; remove: Remove }> = {
  session: { prefix: "", remove: removeSessions },
  texts: { prefix: "texts ", remove: clearInactiveSessionTexts },
};

/**
 * Removes sessions that received nothing for the number of days that the organization's rules set, with their events.
 * Also removes users whose last session was removed. `most` is the server's own limit in days, 0 for none. Works in
 * slices, and is safe in any number of concurrent processes. Returns the number of removed sessions.
 */
export const removeOldSessions = (db: Database, most: number, now = Date.now()): Promise<number> =>
  removePart(db, "session", most, now);

/** Empties the text of sessions by the same rules; the outline stays. */
export const clearOldSessionTexts = (db: Database, most: number, now = Date.now()): Promise<number> =>
  removePart(db, "texts", most, now);

const removePart = (db: Database, part: RetentionPart, most: number, now: number): Promise<number> =>
  eachOrganization(db, { table: "recorded_session" }, async (id) => {
    const days = await fewest(db, part, id, most);
    if (days === undefined) return 0;
    return runEachPart(
      ["aged", "ahead"] as const,
      (walk) => ({ walk }),
      (walk) => removeAlong(db, id, { part, most, now, days }, walk),
    );
  });

interface Rules {
  part: RetentionPart;
  most: number;
  now: number;
  /** Minimum number of days after which anything is removed. */
  days: number;
}

async function removeAlong(db: Database, organizationId: string, rules: Rules, walk: Walk): Promise<number> {
  const name = PARTS[rules.part].prefix + walk;
  const before = new Date(rules.now - rules.days * DAY_MS);
  const attempts = new PartRunner();
  let place = await readScanPosition(db, organizationId, name);
  for (let [removed, kept] = [0, 0]; ; ) {
    const found: Found[] = await db.query(lookFrom(place, organizationId, WALKS[walk](before), before));
    const old = found.filter(({ isOld }) => isOld).map(({ id }) => id);
    const gone = await attempts.run({}, () => removeDue(db, organizationId, rules, old));
    removed += gone;
    kept += found.length - gone;
    const last = found.length === SESSIONS ? found.at(-1) : undefined;
    place = last ?? SCAN_START;
    if (last && kept < KEPT) continue;
    await storeScanPosition(db, organizationId, name, place);
    attempts.end();
    return removed;
  }
}

/** Removes the part from each session whose own retention time for the part has passed. */
const removeDue = async (db: Database, organizationId: string, { part, most, now }: Rules, ids: string[]) =>
  runEachPart(
    await byDays(db, part, organizationId, ids, most),
    () => ({}),
    ([days, some]) => PARTS[part].remove(db, organizationId, new Date(now - days * DAY_MS), some),
  );

interface Found extends ScanPosition {
  isOld: boolean;
}

/** Returns the next sessions of a walk after a position, in index order. */
const lookFrom = (
  { at, id }: ScanPosition,
  organization_id: string,
  along: ReturnType<typeof knex.raw>,
  before: Date,
) =>
  toStatement(
    knex("recorded_session")
      .where({ organization_id })
      .whereRaw(along)
      .whereRaw("(timestamp, session_id) > (?::timestamptz, ?::uuid)", [at, id])
      .orderBy(["timestamp", "session_id"])
      .limit(SESSIONS)
      .select({ id: "session_id", at: knex.raw("timestamp::text"), isOld: knex.raw("last_received_at < ?", [before]) }),
  );
