import { setTimeout as sleep } from "node:timers/promises";
import { knex, toStatement } from "../../../../db/builder.ts";
import { Attempts, sumTogether } from "../../../../db/errors/parts.ts";
import type { Database, Transaction } from "../../../../db/open.ts";
import { HOUR_MS } from "../../../../formats/time.ts";
import { newId } from "../../../id.ts";
import type { Model } from "../../../read/entity.ts";
import type { Scope } from "../../../scope.ts";
import { mutate } from "../../../write/mutate.ts";
import { countMarked, markHours, sumStale } from "../analytics/index.ts";
import { isDeletedWithUserSql } from "./names.ts";
import { dropBeside, dropEvents, EVENTS, isAny } from "./rows.ts";
import { deleteSessions, MOST_SESSIONS } from "./sessions.ts";

/** A deletion of which rows are left. */
interface Pending {
  id: string;
  sessionId: string | null;
  userId: string | null;
  byId: string | null;
  deletedAt: Date;
}

/** Deletions that one pass fails to end before it leaves the others to the next pass. */
const MOST_FAILED = 1_000;

/**
 * Removes the rows that are left of what was deleted in an organization, slice by slice, and counts its hours anew. Each
 * deletion fails alone. Safe on any number of processes. Resolves with the number of deletions that it ended.
 */
export async function removeDeletedRows(scope: Scope, model: Model): Promise<number> {
  const { db, organizationId } = scope;
  const attempts = new Attempts();
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
    // Sessions of a user come first: each of them is then pending itself.
    if (user)
      ended += await attempts.run({ deletionId: user.id }, () =>
        noteFailed([user], failed, async () => {
          const state = await deleteSome(scope, model, user);
          if (state === "waits") waiting.add(user.id);
          return state === "ended" ? 1 : 0;
        }),
      );
    ended += await attempts.run({}, () => sumTogether(sessions, ({ id }) => ({ deletionId: id }), remove));
  }
  await countAnew(db, organizationId, hours);
  attempts.end();
  return ended;
}

/** Notes a deletion whose work failed alone. */
async function noteFailed(some: readonly Pending[], failed: Set<string>, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const [first] = some;
    if (first && some.length === 1) failed.add(first.id);
    throw error;
  }
}

/** Removes rows of deleted sessions, a slice of them, and adds the hours that they were counted in. */
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
        .limit(MOST_SESSIONS)
        .select({
          id: "deletion_id",
          sessionId: "session_id",
          userId: "user_id",
          byId: "by_id",
          deletedAt: "deleted_at",
        }),
    ),
  );

/** A deletion waits so long, so often, for reports that arrived before it; then the job's next run goes on. */
const [WAIT_MS, MOST_WAITS] = [100, 20];

/**
 * Deletes sessions of a deleted user, as many as one transaction deletes. The user's deletion ends with the last. It waits
 * while reports that arrived before it are not folded: they may be of further sessions of the user.
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
    if (ids.length < MOST_SESSIONS) state = isBehind ? "waits" : "ended";
    const own = knex("recorded_deletion").where({ organization_id, user_id: userId });
    if (state === "ended") write.followUps.push(toStatement(own.delete()));
    write.direct = true;
    return {};
  });
  return state;
}

/** True when nothing is left of what was deleted in an organization. */
export const isRemoved = async ({ db, organizationId }: Scope): Promise<boolean> =>
  (await pendingOf(db, organizationId, new Set())).length === 0;

/** Deletes sessions that ingestion listed: it had stored something of them before it knew whose they are. */
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
  if (events.length === EVENTS) return { ended: 0, hours };
  for (const beside of dropBeside(model, organizationId, ids)) await trx.query(toStatement(beside));
  const own = knex("recorded_deletion").where({ organization_id: organizationId });
  const ended = await trx.query(toStatement(own.where(isAny("session_id", ids, "uuid")).delete("deletion_id")));
  return { ended: ended.length, hours };
}

/** Times that hours are counted which another process counts as well. */
const ROUNDS = 5;

/** Counts hours anew of which events went, so that no count and no failure group shows them. */
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
