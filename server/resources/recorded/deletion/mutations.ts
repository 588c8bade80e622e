import { setTimeout as sleep } from "node:timers/promises";
import { knex, toStatement } from "../../../../db/builder.ts";
import { isUuid } from "../../../../formats/uuid.ts";
import { writeAuditEntry } from "../../../accounts/audit.ts";
import { inputError, notFound } from "../../../errors.ts";
import type { Entity, EntityModel } from "../../../read/entity.ts";
import type { Scope } from "../../../scope.ts";
import type { MutationResult, WriteContext } from "../../../write/write.ts";
import type { Mutation } from "../../resource.ts";
import { tombstoneName } from "./names.ts";
import { areDeletionsComplete, removeDeletedRows } from "./remove.ts";
import { deleteUserQuery, isAnyOfIdsSql } from "./rows.ts";
import { deleteSessions, lockIngestion, MAX_DELETED_SESSIONS, writeTombstones } from "./sessions.ts";

/** Maximum time in ms for which the response waits for the removal of the rows. A job removes the remaining rows. */
const WAIT_MS = 10_000;

/** Removes the rows of deleted recordings after the commit. `complete` in the result is true only if no rows remain. */
async function finish(scope: Scope, model: EntityModel, result: MutationResult): Promise<MutationResult> {
  const removed = removeDeletedRows(scope, model)
    .then(() => areDeletionsComplete(scope))
    .catch(() => false);
  const complete = await Promise.race([removed, sleep(WAIT_MS, false, { ref: false })]);
  return { ...result, values: { ...result.values, complete } };
}

/** @throws notFound for a session that does not exist, or no longer exists. */
async function recordedSessionDelete(write: WriteContext, id: string): Promise<MutationResult> {
  const named = isUuid(id) ? await deleteSessions(write, knex.raw("session_id = ?", [id]), write.scope.userId) : [];
  if (named.length === 0) throw notFound("recorded session", id);
  await note(write, "recordedSession.deleted", { sessions: 1 });
  return { id };
}

/** Deletes the existing sessions among the given sessions. @throws inputError for too many sessions */
async function recordedSessionsDelete(write: WriteContext, ids: readonly string[]): Promise<MutationResult> {
  if (ids.length > MAX_DELETED_SESSIONS)
    throw inputError(`ids must name at most ${MAX_DELETED_SESSIONS} sessions`, "ids");
  const found = await deleteSessions(
    write,
    isAnyOfIdsSql("session_id", ids.filter(isUuid), "uuid"),
    write.scope.userId,
  );
  if (found.length > 0) await note(write, "recordedSession.deleted", { sessions: found.length });
  return { kept: String(found.length), values: { sessions: found.length } };
}

/**
 * Entity of the entry that records the deletion of a user in the change log. The entry contains the id of the deletion
 * instead of the user's id, because the user's id may be a name.
 */
const deletedUser: Entity = {
  name: "RecordedUser",
  table: "recorded_deletion",
  columns: { id: "uuid" },
  names: { organizationId: "organization_id", id: "deletion_id" },
  event: "recordedUser",
};

/** @throws notFound for a user without data. */
async function recordedUserDelete(write: WriteContext, userId: string): Promise<MutationResult> {
  const { organizationId, userId: byId } = write.scope;
  await lockIngestion(write);
  const [user] = await write.trx.query(toStatement(deleteUserQuery(organizationId, userId)));
  if (!user) throw notFound("recorded user", userId);
  // The time is read after the lock is taken. Recordings that arrived earlier are deleted; later recordings under an
  // ingest key with the same name as the user stay.
  const at = new Date().toISOString();
  await writeTombstones(write, [tombstoneName("user", userId)], at);
  const row = { organization_id: organizationId, user_id: userId, by_id: byId, deleted_at: at };
  const begun = knex("recorded_deletion").insert(row, ["deletion_id"]);
  const [deletion] = await write.trx.query<{ deletion_id: string }>(toStatement(begun));
  const id = String(deletion?.deletion_id);
  write.entries.push({ entity: deletedUser, id, action: "remove", event: "recordedUser.deleted" });
  await note(write, "recordedUser.deleted", {});
  return {};
}

const note = (
  { trx, scope: { organizationId, userId } }: WriteContext,
  event: string,
  detail: Record<string, unknown>,
) => writeAuditEntry(trx, { event, organizationId, accountId: userId, detail });

/** The mutations wait until earlier reports are folded, because the names of a session's traces are known only then. */
const reads = ["recorded_session"];

const deletion = (run: (write: WriteContext, id: string) => Promise<MutationResult>): Mutation => ({
  needs: "owner",
  reads,
  run: (write, { id }) => run(write, String(id)),
  finish,
});

/** Mutations that delete recordings. */
export const deletionMutations = {
  session: {
    recordedSessionDelete: deletion(recordedSessionDelete),
    recordedSessionsDelete: {
      needs: "owner",
      reads,
      run: (write, { ids }) => recordedSessionsDelete(write, ids as readonly string[]),
      onReplay: async (_write, result) => ({ ...result, values: { sessions: Number(result.kept) } }),
      finish,
    } satisfies Mutation,
  },
  user: { recordedUserDelete: deletion(recordedUserDelete) },
};
