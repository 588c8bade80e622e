import { knex, toStatement } from "../../../db/builder.ts";
import { Attempts, sumEach } from "../../../db/errors/parts.ts";
import type { Database, Statement } from "../../../db/open.ts";
import { DAY_MS, HOUR_MS } from "../../../formats/time.ts";
import { daysOf, fewestDays, hasTexts, isHeld, type Part } from "../../resources/recorded/retention/due.ts";
import { eachOrganization, keepPlace, type Place, placeOf, START } from "../organizations.ts";
import { removeSessions, removeTexts } from "./removal.ts";

/** The fewest days after which a part of any session of an organization goes; undefined for never. `most` is the server's number. */
async function fewest(db: Database, part: Part, organizationId: string, most: number): Promise<number | undefined> {
  const text = `select ${fewestDays(part, "$1::uuid", "$2::integer")} as days`;
  const [row] = await db.query<{ days: number | null }>({ text, values: [organizationId, most] });
  return row?.days ?? undefined;
}

const SESSION = { alias: "s", organization: "$1::uuid" };

/** Raw SQL, as of the rules: some sessions of which a part may go, and after how many days. Those that are held stay. */
const daysText = (part: Part): string => `select s.session_id as id, ${daysOf(part, SESSION, "$3::integer")} as days
  from recorded_session s where s.organization_id = $1 and s.session_id = any($2::uuid[]) and not ${isHeld(SESSION)}
    ${part === "texts" ? `and ${hasTexts(SESSION)}` : ""}`;

const daysStatement = (part: Part, values: unknown[]): Statement => ({ text: daysText(part), values });

/** Sessions by the number of days after which a part of them goes. */
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

/** Takes a part of sessions away; answers of how many. */
type Remove = (db: Database, organizationId: string, before: Date, ids: string[]) => Promise<number>;

/** Parts of sessions, each with the prefix of its walks' names. */
const PARTS: Record<Part, { prefix: string; remove: Remove }> = {
  session: { prefix: "", remove: removeSessions },
  texts: { prefix: "texts ", remove: removeTexts },
};

/**
 * Removes sessions of which nothing was received for so many days as their organization says, with their events, and users
 * whose last session goes. `most` is the server's own number, 0 for none. In slices, and safe on any number of processes.
 * Answers how many sessions it removed.
 */
export const removeOldSessions = (db: Database, most: number, now = Date.now()): Promise<number> =>
  removePart(db, "session", most, now);

/** Empties the texts of sessions in the same way; their outline stays. */
export const removeOldTexts = (db: Database, most: number, now = Date.now()): Promise<number> =>
  removePart(db, "texts", most, now);

const removePart = (db: Database, part: Part, most: number, now: number): Promise<number> =>
  eachOrganization(db, { table: "recorded_session" }, async (id) => {
    const days = await fewest(db, part, id, most);
    if (days === undefined) return 0;
    return sumEach(
      ["aged", "ahead"] as const,
      (walk) => ({ walk }),
      (walk) => removeAlong(db, id, { part, most, now, days }, walk),
    );
  });

interface Rules {
  part: Part;
  most: number;
  now: number;
  /** The fewest days after which anything goes. */
  days: number;
}

async function removeAlong(db: Database, organizationId: string, rules: Rules, walk: Walk): Promise<number> {
  const name = PARTS[rules.part].prefix + walk;
  const before = new Date(rules.now - rules.days * DAY_MS);
  const attempts = new Attempts();
  let place = await placeOf(db, organizationId, name);
  for (let [removed, kept] = [0, 0]; ; ) {
    const found: Found[] = await db.query(lookFrom(place, organizationId, WALKS[walk](before), before));
    const old = found.filter(({ isOld }) => isOld).map(({ id }) => id);
    const gone = await attempts.run({}, () => removeDue(db, organizationId, rules, old));
    removed += gone;
    kept += found.length - gone;
    const last = found.length === SESSIONS ? found.at(-1) : undefined;
    place = last ?? START;
    if (last && kept < KEPT) continue;
    await keepPlace(db, organizationId, name, place);
    attempts.end();
    return removed;
  }
}

/** Removes the part of those sessions that are due by their own days. */
const removeDue = async (db: Database, organizationId: string, { part, most, now }: Rules, ids: string[]) =>
  sumEach(
    await byDays(db, part, organizationId, ids, most),
    () => ({}),
    ([days, some]) => PARTS[part].remove(db, organizationId, new Date(now - days * DAY_MS), some),
  );

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
