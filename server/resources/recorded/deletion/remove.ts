import { setTimeout as sleep } from "node:timers/promises";
import { knex, toStatement } from "../../../../db/builder.ts";
import { PartRunner, runPartsTogether } from "../../../../db/errors/parts.ts";
import type { Database, Transaction } from "../../../../db/open.ts";
import { HOUR_MS } from "../../../../formats/time.ts";
import { newId } from "../../../id.ts";
import type { Model } from "../../../read/entity.ts";
import type { Scope } from "../../../scope.ts";
import { mutate } from "../../../write/mutate.ts";
import { countMarked, markHours, sumStale } from "../analytics/index.ts";
import { isDeletedWithUserSql } from "./names.ts";
import { dropEvents, dropSessionData, isAny, MAX_DROPPED_EVENTS } from "./rows.ts";
import { deleteSessions, MAX_DELETED_SESSIONS } from "./sessions.ts";

/** A deletion with remaining rows. */
interface Pending {
  id: string;
  sessionId: string | null;
  userId: string | null;
  byId: string | null;
  deletedAt: Date;
}

/** Number of failed deletions after which a run leaves the other deletions to the next run. */
const MOST_FAILED = 1_000;

/**
 * Removes the remaining rows of deletions in an organization, slice by slice, and counts the affected hours again. A
 * failed deletion does not affect other deletions. Any number of processes may run this concurrently. Returns the
 * number of completed deletions.
 */
export async function removeDeletedRows(scope: Scope, model: Model): Promise<number> {
  const { db, organizationId } = scope;
  const attempts = new PartRunner();
  const [failed, waiting, hours] = [new Set<string>(), new Set<string>(), new Set<number>()];
  let [ended, waits] = [0, 0];
  const remove = (some: readonly Pending[]) => noteFailed(some, failed, () => removeSome(scope, model, some, hours));
  while (failed.size < MOST_FAILED) {
    const pending = await pendingOf(db, organizationId, new Set([...failed, ...waiting]));
    if (pending.length === 0) {
      if (waiting.size === 0 || waits === MOST_WAITS) break;
      waits += 1;
      waiting.clear();
      await sleep(WAIT_MS);
      continue;
    }
    const [user] = pending.filter(({ userId }) => userId !== null);
    const sessions = pending.filter(({ sessionId }) => sessionId !== null);
    // Sessions of a user come first, because each session then becomes a pending deletion itself.
    if (user)
      ended += await attempts.run({ deletionId: user.id }, () =>
        noteFailed([user], failed, async () => {
          const state = await deleteSome(scope, model, user);
          if (state === "waits") waiting.add(user.id);
          return state === "ended" ? 1 : 0;
        }),
      );
    ended += await attempts.run({}, () => runPartsTogether(sessions, ({ id }) => ({ deletionId: id }), remove));
  }
  await countAnew(db, organizationId, hours);
  attempts.end();
  return ended;
}

/** Records a deletion that failed when processed alone. */
async function noteFailed(some: readonly Pending[], failed: Set<string>, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const [first] = some;
    if (first && some.length === 1) failed.add(first.id);
    throw error;
  }
}

/** Removes a slice of the rows of deleted sessions, and adds the hours in which the rows were counted. */
async function removeSome(scope: Scope, model: Model, some: readonly Pending[], hours: Set<number>): Promise<number> {
  const ids = some.flatMap(({ sessionId }) => sessionId ?? []);
  await deleteListed(scope, model, ids);
  const slice = await scope.db.transaction((trx) => removeSlice(trx, model, scope.organizationId, ids));
  for (const hour of slice.hours) hours.add(hour);
  return slice.ended;
}

const pendingOf = (db: Database, organizationId: string, without: ReadonlySet<string>): Promise<Pending[]> =>
  db.query(
    toStatement(
      knex("recorded_deletion")
        .where({ organization_id: organizationId })
        .whereRaw("deletion_id <> all(?::uuid[])", [[...without]])
        .orderBy("deletion_id")
        .limit(MAX_DELETED_SESSIONS)
        .select({
          id: "deletion_id",
          sessionId: "session_id",
          userId: "user_id",
          byId: "by_id",
          deletedAt: "deleted_at",
        }),
    ),
  );

/**
 * A deletion waits this long, in ms, and this often for reports that arrived earlier. The job's next run then
 * continues.
 */
const [WAIT_MS, MOST_WAITS] = [100, 20];

/**
 * Deletes up to the maximum number of sessions of a deleted user per transaction. The user's deletion is complete
 * after the last session. The deletion waits while earlier reports are not folded, because the reports may belong to
 * further sessions of the user.
 */
async function deleteSome(scope: Scope, model: Model, pending: Pending): Promise<"ended" | "waits" | "continues"> {
  const { userId, byId, deletedAt } = pending;
  const { organizationId: organization_id } = scope;
  const unfolded = knex("recorded_unfolded").where({ organization_id }).where("received_at", "<=", deletedAt);
  let state: "ended" | "waits" | "continues" = "continues";
  await mutate(scope, model, async (write) => {
    const isBehind = (await write.trx.query(toStatement(unfolded.limit(1).select("part")))).length > 0;
    const sessions = knex.raw(`user_id = ? and ${isDeletedWithUserSql("recorded_session", "?")}`, [
      ...[userId ?? "", deletedAt],
    ]);
    const ids = await deleteSessions(write, sessions, byId);
    if (ids.length < MAX_DELETED_SESSIONS) state = isBehind ? "waits" : "ended";
    const own = knex("recorded_deletion").where({ organization_id, user_id: userId });
    if (state === "ended") write.followUps.push(toStatement(own.delete()));
    write.direct = true;
    return {};
  });
  return state;
}

/** Returns true if no rows of deletions remain in an organization. */
export const isRemoved = async ({ db, organizationId }: Scope): Promise<boolean> =>
  (await pendingOf(db, organizationId, new Set())).length === 0;

/** Deletes sessions that ingestion listed: ingestion had stored parts of the sessions before their user was known. */
async function deleteListed(scope: Scope, model: Model, ids: readonly string[]): Promise<void> {
  const listed = knex("recorded_session")
    .where({ organization_id: scope.organizationId })
    .where(isAny("session_id", ids, "uuid"));
  const there = await scope.db.query(toStatement(listed.limit(1).select("session_id")));
  if (there.length === 0) return;
  await mutate(scope, model, async (write) => {
    await deleteSessions(write, isAny("session_id", ids, "uuid"), null);
    return {};
  });
}

interface Slice {
  ended: number;
  hours: number[];
}

async function removeSlice(trx: Transaction, model: Model, organizationId: string, ids: string[]): Promise<Slice> {
  const events = await trx.query<{ timestamp: Date }>(toStatement(dropEvents(organizationId, ids)));
  const moments = events.map(({ timestamp }) => timestamp.getTime());
  for (const marks of markHours(organizationId, moments)) await trx.query(marks);
  const hours = moments.map((at) => Math.floor(at / HOUR_MS));
  if (events.length === MAX_DROPPED_EVENTS) return { ended: 0, hours };
  for (const beside of dropSessionData(model, organizationId, ids)) await trx.query(toStatement(beside));
  const own = knex("recorded_deletion").where({ organization_id: organizationId });
  const ended = await trx.query(toStatement(own.where(isAny("session_id", ids, "uuid")).delete("deletion_id")));
  return { ended: ended.length, hours };
}

/** Maximum number of times that hours are counted again if another process counts the same hours. */
const ROUNDS = 5;

/** Counts the hours of deleted events again, so that no count and no failure group includes the events. */
async function countAnew(db: Database, organizationId: string, hours: ReadonlySet<number>): Promise<void> {
  if (hours.size === 0) return;
  const marked = knex("recorded_mark")
    .where({ organization_id: organizationId })
    .whereRaw("hour = any(select to_timestamp(h * 3600) from unnest(?::float8[]) h)", [[...hours]])
    .where("mark_id", "<", newId())
    .limit(1)
    .select("hour");
  for (let round = 0; round < ROUNDS; round += 1) {
    await countMarked(db, organizationId);
    if ((await db.query(toStatement(marked))).length === 0) break;
  }
  await sumStale(db, organizationId);
}
