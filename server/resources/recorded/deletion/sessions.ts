import { knex, toStatement } from "../../../../db/builder.ts";
import type { Entity } from "../../../read/entity.ts";
import type { WriteContext } from "../../../write/write.ts";
import { failureGroupIdSql, normalizedFailureMessageSql, storedFailureMessageSql } from "../failures/message.ts";
import { organizationLockKey } from "../retention/lock.ts";
import { tombstoneHashSql, tombstoneName } from "./names.ts";
import { DELETE_OBSERVATIONS_SQL, deleteSessionlessUsersQuery } from "./rows.ts";

/**
 * Entity of the entry that records the deletion of a session in the change log. The entry contains only the session's
 * id.
 */
const deletedSession: Entity = {
  name: "RecordedSession",
  table: "recorded_session",
  columns: { id: "uuid" },
  names: { organizationId: "organization_id", id: "session_id" },
  event: "recordedSession",
};

/** Maximum number of sessions that a transaction deletes, because the transaction blocks the organization's writers. */
export const MAX_DELETED_SESSIONS = 100;

interface Found {
  id: string;
  userId: string | null;
  externalId: string | null;
}

/**
 * Deletes sessions. After the commit, no reader finds the sessions, and ingestion rejects later reports;
 * `removeDeletedRows` later removes events and other data. The lock waits for running commits of ingestion, because
 * these commits have not seen the new tombstones. Returns the ids of the sessions that existed.
 */
export async function deleteSessions(
  write: WriteContext,
  which: ReturnType<typeof knex.raw>,
  byId: string | null,
): Promise<string[]> {
  const { organizationId } = write.scope;
  await lockIngestion(write);
  const found: Found[] = await write.trx.query(toStatement(sessionsWhere(organizationId, which)));
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return [];
  await write.trx.query({ text: NOTE_ISSUES, values: [organizationId, ids, byId, write.at] });
  await write.trx.query({ text: FORGET_AWAITED, values: [organizationId, namesIn(found)] });
  const traces = await write.trx.query<{ id: string }>({
    text: DELETE_OBSERVATIONS_SQL,
    values: [organizationId, ids],
  });
  const traceIds = [...traces.map(({ id }) => id), ...found.flatMap(({ externalId }) => externalId ?? [])];
  const names = [...ids.map((id) => tombstoneName("session", id)), ...traceIds.map((id) => tombstoneName("trace", id))];
  await writeTombstones(write, names);
  await write.trx.query({ text: BEGIN, values: [organizationId, ids, byId, write.at] });
  for (const id of ids) {
    write.entries.push({ entity: deletedSession, id, action: "remove", event: "recordedSession.deleted" });
    const where = { organization_id: organizationId, session_id: id };
    write.operations.push({ kind: "remove", table: "recorded_session", where });
  }
  const users = found.flatMap(({ userId }) => userId ?? []);
  write.followUps.push(toStatement(deleteSessionlessUsersQuery(organizationId, users)));
  return ids;
}

const namesIn = (found: readonly Found[]) =>
  found.flatMap(({ id, externalId }) => [id, externalId ?? []].flat()).map((name) => name.toLowerCase());

/** Waits until no commit of ingestion is running, and blocks further commits until this transaction ends. */
export const lockIngestion = ({ trx, scope }: WriteContext) =>
  trx.query(toStatement(knex.raw(`select pg_advisory_xact_lock(${organizationLockKey(scope.organizationId)})`)));

const sessionsWhere = (organizationId: string, which: ReturnType<typeof knex.raw>) =>
  knex("recorded_session")
    .where("organization_id", organizationId)
    .whereRaw(which)
    .orderBy("session_id")
    .limit(MAX_DELETED_SESSIONS)
    .forUpdate()
    .select({ id: "session_id", userId: "user_id", externalId: "external_id" });

/**
 * Raw SQL, like all statements here: lists of ids are passed as a single value. Stores hashes of names, so that
 * ingestion rejects these names from now on. If a name is deleted twice, the later time is stored, because recordings
 * under an ingest key with this name may have arrived between the two deletions.
 */
export const writeTombstones = (write: WriteContext, names: readonly string[], at = write.at) =>
  write.trx.query({
    text: `insert into recorded_tombstone (organization_id, hash, deleted_at)
      select $1::uuid, ${tombstoneHashSql("n.name")}, $3::timestamptz
        from (select distinct unnest($2::text[]) as name) n join organization o on o.id = $1
      on conflict (organization_id, hash) do update set deleted_at = greatest(recorded_tombstone.deleted_at, excluded.deleted_at)`,
    values: [write.scope.organizationId, names, at],
  });

/**
 * Adds sessions to the pending deletions, because the rows of the sessions are removed later. Skips sessions that
 * ingestion has already added.
 */
const BEGIN = `insert into recorded_deletion (organization_id, session_id, by_id, deleted_at)
  select $1::uuid, n.id, $3::uuid, $4::timestamptz from unnest($2::uuid[]) n (id)
  where not exists (select from recorded_deletion d where d.organization_id = $1 and d.session_id = n.id)`;

/** Maximum number of failed events, in the deleted sessions, for whose failure groups issues are searched. */
const FAILURES = 1_000;

/**
 * Records which issues quote the deleted sessions: issues created from a session, and issues about failures in a
 * session. Deletes the links from issues to the sessions. For linked issues, also deletes the handover and the event
 * ids of the proof.
 */
const NOTE_ISSUES = `with gone as (delete from "issueSession" where "organizationId" = $1 and "sessionId" = any($2::uuid[])
    returning "issueId", filed),
  unproven as (update "issueProof" p set "eventIds" = '{}' from gone where p."organizationId" = $1 and p.id = gone."issueId"),
  forgotten as (delete from "issueHandover" h using gone where h."organizationId" = $1 and h.id = gone."issueId"),
  failed as (select distinct ${failureGroupIdSql("$1::uuid", "e.primitive_name", normalizedFailureMessageSql(storedFailureMessageSql("e")))} as id
    from (select * from recorded_event e where e.organization_id = $1 and e.session_id = any($2::uuid[]) and not e.success
      limit ${FAILURES}) e)
  insert into "issueDeletedSession" ("organizationId", id, "issueId", "deletedById", "createdAt", "updatedAt")
    select $1::uuid, gen_random_uuid(), i.id, $3::uuid, $4::timestamptz, $4::timestamptz
      from (select "issueId" as id from gone where filed
        union select f."issueId" from "failureIssue" f join failed on failed.id = f."groupId" where f."organizationId" = $1) i`;

const FORGET_AWAITED = `delete from "awaitedSession" where "organizationId" = $1 and lower(reference) = any($2::text[])`;
