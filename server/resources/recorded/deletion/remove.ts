import { setTimeout as sleep } from "node:timers/promises";
import { knex, toStatement } from "../../../../db/builder.ts";
import { PartRunner, runBatchBisectingFailures } from "../../../../db/errors/parts.ts";
import type { Database, Transaction } from "../../../../db/open.ts";
import { HOUR_MS } from "../../../../formats/time.ts";
import { newId } from "../../../id.ts";
import type { EntityModel } from "../../../read/entity.ts";
import type { Scope } from "../../../scope.ts";
import { runMutationTransaction } from "../../../write/mutate.ts";
import { countMarkedHoursOfOrganization, createMarkHoursStatements, sumStaleGroups } from "../analytics/index.ts";
import { isDeletedWithUserSql } from "./names.ts";
import { deleteEventsQuery, deleteSessionDataQueries, isAnyOfIdsSql, MAX_DROPPED_EVENTS } from "./rows.ts";
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
 * failed deletion does not affect other deletions. Any number of processes may call this function concurrently. Returns
 * the number of completed deletions.
 */
export async function removeDeletedRows(scope: Scope, model: EntityModel): Promise<number> {
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
    // Sessions of a deleted user are deleted first. Each of these sessions then becomes a pending deletion, whose rows
    // the loop removes next.
    if (user)
      ended += await attempts.run({ deletionId: user.id }, () =>
        noteFailed([user], failed, async () => {
          const state = await deleteSome(scope, model, user);
          if (state === "waits") waiting.add(user.id);
          return state === "ended" ? 1 : 0;
        }),
      );
    ended += await attempts.run({}, () =>
      runBatchBisectingFailures(sessions, ({ id }) => ({ deletionId: id }), remove),
    );
  }
  await countAnew(db, organizationId, hours);
  attempts.end();
  return ended;
}

/** Runs the work for some deletions. If the work fails for a single deletion, adds this deletion to `failed`. */
async function noteFailed(some: readonly Pending[], failed: Set<string>, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const [first] = some;
    if (first && some.length === 1) failed.add(first.id);
    throw error;
  }
}

/**
 * Removes some rows of deleted sessions. Adds the hours of the removed events to `hours`, because these hours must be
 * counted again.
 */
async function removeSome(
  scope: Scope,
  model: EntityModel,
  some: readonly Pending[],
  hours: Set<number>,
): Promise<number> {
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
 * Length in ms, and maximum number, of the pauses in which a deletion waits until earlier reports are folded. After the
 * last pause, the next run of the job continues.
 */
const [WAIT_MS, MOST_WAITS] = [100, 20];

/**
 * Deletes sessions of a deleted user, at most the maximum number per transaction. The deletion of the user ends after
 * the last session. The result is `waits` while earlier reports are not folded, because these reports may belong to
 * further sessions of the user.
 */
async function deleteSome(
  scope: Scope,
  model: EntityModel,
  pending: Pending,
): Promise<"ended" | "waits" | "continues"> {
  const { userId, byId, deletedAt } = pending;
  const { organizationId: organization_id } = scope;
  const unfolded = knex("recorded_unfolded").where({ organization_id }).where("received_at", "<=", deletedAt);
  let state: "ended" | "waits" | "continues" = "continues";
  await runMutationTransaction(scope, model, async (write) => {
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

/** Returns true if an organization has no deletion with remaining rows. */
export const areDeletionsComplete = async ({ db, organizationId }: Scope): Promise<boolean> =>
  (await pendingOf(db, organizationId, new Set())).length === 0;

/**
 * Deletes those of the given sessions that still exist. Ingestion lists such a session as deleted when the user of the
 * session becomes known only after parts of the session are stored.
 */
async function deleteListed(scope: Scope, model: EntityModel, ids: readonly string[]): Promise<void> {
  const listed = knex("recorded_session")
    .where({ organization_id: scope.organizationId })
    .where(isAnyOfIdsSql("session_id", ids, "uuid"));
  const there = await scope.db.query(toStatement(listed.limit(1).select("session_id")));
  if (there.length === 0) return;
  await runMutationTransaction(scope, model, async (write) => {
    await deleteSessions(write, isAnyOfIdsSql("session_id", ids, "uuid"), null);
    return {};
  });
}

interface Slice {
  ended: number;
  hours: number[];
}

async function removeSlice(
  trx: Transaction,
  model: EntityModel,
  organizationId: string,
  ids: string[],
): Promise<Slice> {
  const events = await trx.query<{ timestamp: Date }>(toStatement(deleteEventsQuery(organizationId, ids)));
  const moments = events.map(({ timestamp }) => timestamp.getTime());
  for (const marks of createMarkHoursStatements(organizationId, moments)) await trx.query(marks);
  const hours = moments.map((at) => Math.floor(at / HOUR_MS));
  if (events.length === MAX_DROPPED_EVENTS) return { ended: 0, hours };
  for (const beside of deleteSessionDataQueries(model, organizationId, ids)) await trx.query(toStatement(beside));
  const own = knex("recorded_deletion").where({ organization_id: organizationId });
  const ended = await trx.query(toStatement(own.where(isAnyOfIdsSql("session_id", ids, "uuid")).delete("deletion_id")));
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
    await countMarkedHoursOfOrganization(db, organizationId);
    if ((await db.query(toStatement(marked))).length === 0) break;
  }
  await sumStaleGroups(db, organizationId);
}
