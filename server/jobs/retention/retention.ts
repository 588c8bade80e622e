import { knex, toStatement } from "../../../db/builder.ts";
import { PartRunner, runEachPart } from "../../../db/errors/parts.ts";
import type { Database, Statement } from "../../../db/open.ts";
import { DAY_MS, HOUR_MS } from "../../../formats/time.ts";
import {
  hasTextsSql,
  isHeldSql,
  type Part,
  retentionDaysSql,
  shortestRetentionSql,
} from "../../resources/recorded/retention/due.ts";
import { eachOrganization, readPosition, START, storePosition, type WalkPosition } from "../organizations.ts";
import { removeSessions, removeTexts } from "./removal.ts";

/**
 * Returns the minimum number of days after which a part of any session of an organization is removed; undefined for
 * never. `most` is the limit that the server is configured with.
 */
async function fewest(db: Database, part: Part, organizationId: string, most: number): Promise<number | undefined> {
  const text = `select ${shortestRetentionSql(part, "$1::uuid", "$2::integer")} as days`;
  const [row] = await db.query<{ days: number | null }>({ text, values: [organizationId, most] });
  return row?.days ?? undefined;
}

const SESSION = { alias: "s", organization: "$1::uuid" };

/**
 * Raw SQL, like the retention rules: the given sessions with a part to remove, and the number of days. Held sessions
 * are left out.
 */
const daysText = (
  part: Part,
): string => `select s.session_id as id, ${retentionDaysSql(part, SESSION, "$3::integer")} as days
  from recorded_session s where s.organization_id = $1 and s.session_id = any($2::uuid[]) and not ${isHeldSql(SESSION)}
    ${part === "texts" ? `and ${hasTextsSql(SESSION)}` : ""}`;

const daysStatement = (part: Part, values: unknown[]): Statement => ({ text: daysText(part), values });

/** Groups sessions by the number of days after which a part is removed. */
async function byDays(
  db: Database,
  part: Part,
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
/** Maximum sessions per organization and pass that are read and stay. The next pass continues after them. */
const KEPT = 5_000;

/**
 * Walks that find silent sessions. A session usually starts before it is received; an index finds sessions that started
 * long ago. Sessions with a start later than their receipt, from a clock that was ahead, have a separate index.
 */
const WALKS = {
  aged: (before: Date) => knex.raw("timestamp < ?", [new Date(before.getTime() + HOUR_MS)]),
  ahead: () => knex.raw("timestamp - received_at > interval '1 hour'"),
};
type Walk = keyof typeof WALKS;

/** Removes a part of sessions; returns the number of sessions. */
type Remove = (db: Database, organizationId: string, before: Date, ids: string[]) => Promise<number>;

/** Parts of sessions, each with the prefix of its walks' names. */
const PARTS: Record<Part, { prefix: string; remove: Remove }> = {
  session: { prefix: "", remove: removeSessions },
  texts: { prefix: "texts ", remove: removeTexts },
};

/**
 * Removes sessions that received nothing for the number of days that the organization's rules set, with their events.
 * Also removes users whose last session was removed. `most` is the server's own limit in days, 0 for none. Works in
 * slices, and is safe in any number of concurrent processes. Returns the number of removed sessions.
 */
export const removeOldSessions = (db: Database, most: number, now = Date.now()): Promise<number> =>
  removePart(db, "session", most, now);

/** Empties the text of sessions by the same rules; the outline stays. */
export const removeOldTexts = (db: Database, most: number, now = Date.now()): Promise<number> =>
  removePart(db, "texts", most, now);

const removePart = (db: Database, part: Part, most: number, now: number): Promise<number> =>
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
  part: Part;
  most: number;
  now: number;
  /** Minimum number of days after which anything is removed. */
  days: number;
}

async function removeAlong(db: Database, organizationId: string, rules: Rules, walk: Walk): Promise<number> {
  const name = PARTS[rules.part].prefix + walk;
  const before = new Date(rules.now - rules.days * DAY_MS);
  const attempts = new PartRunner();
  let place = await readPosition(db, organizationId, name);
  for (let [removed, kept] = [0, 0]; ; ) {
    const found: Found[] = await db.query(lookFrom(place, organizationId, WALKS[walk](before), before));
    const old = found.filter(({ isOld }) => isOld).map(({ id }) => id);
    const gone = await attempts.run({}, () => removeDue(db, organizationId, rules, old));
    removed += gone;
    kept += found.length - gone;
    const last = found.length === SESSIONS ? found.at(-1) : undefined;
    place = last ?? START;
    if (last && kept < KEPT) continue;
    await storePosition(db, organizationId, name, place);
    attempts.end();
    return removed;
  }
}

/** Removes the part of each session whose own retention has passed. */
const removeDue = async (db: Database, organizationId: string, { part, most, now }: Rules, ids: string[]) =>
  runEachPart(
    await byDays(db, part, organizationId, ids, most),
    () => ({}),
    ([days, some]) => PARTS[part].remove(db, organizationId, new Date(now - days * DAY_MS), some),
  );

interface Found extends WalkPosition {
  isOld: boolean;
}

/** Returns the next sessions of a walk after a position, in index order. */
const lookFrom = (
  { at, id }: WalkPosition,
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
