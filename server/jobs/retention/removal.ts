import { knex, toStatement } from "../../../db/builder.ts";
import { runBatchBisectingFailures, runEachPart } from "../../../db/errors/parts.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { entityModel } from "../../resources/index.ts";
import { createMarkHoursStatements, createMarkSessionsStatements } from "../../resources/recorded/analytics/index.ts";
import {
  DELETE_OBSERVATIONS_SQL,
  deleteEventsQuery,
  deleteSessionDataQueries,
  deleteSessionlessUsersQuery,
  isAnyOfIdsSql,
  MAX_DROPPED_EVENTS,
} from "../../resources/recorded/deletion/rows.ts";
import { isKeptByRetentionSql } from "../../resources/recorded/retention/due.ts";
import { organizationLockKey } from "../../resources/recorded/retention/lock.ts";

/**
 * Returns sessions without an event since a time. The last event is checked first, because it usually shows that a
 * session continues.
 */
const expired = (organizationId: string, before: Date) => {
  const events = knex("recorded_event as e")
    .where("e.organization_id", organizationId)
    .where("e.session_id", knex.ref("s.session_id"));
  const last = events.clone().orderBy(["e.timestamp", "e.event_id"].map(downward)).limit(1).select("e.received_at");
  const any = events.clone().where("e.received_at", ">=", before).limit(1).select(knex.raw("true"));
  return knex("recorded_session as s")
    .where("organization_id", organizationId)
    .where("last_received_at", "<", before)
    .whereRaw(`not ${isKeptByRetentionSql({ alias: "s", organization: "cast(:organizationId as uuid)" })}`, {
      organizationId,
    })
    .whereRaw("case when (?) >= ? then false else (?) is null end", [last, before, any])
    .select("session_id as id");
};

const downward = (column: string) => ({ column, order: "desc" });

/** Deletes sessions without events. */
const dropSessions = (organization_id: string, ids: string[]) =>
  knex("recorded_session as s")
    .where({ organization_id })
    .where(isAnyOfIdsSql("session_id", ids, "uuid"))
    .whereNotExists(
      knex("recorded_event as e")
        .where({ "e.organization_id": organization_id, "e.session_id": knex.ref("s.session_id") })
        .select(knex.raw("1")),
    )
    .delete(["session_id", "user_id"]);

/** Sessions per transaction. The transaction blocks other writers of the organization. */
const SESSIONS = 100;

/** Removes the given sessions that received nothing since a time. Returns the number of removed sessions. */
export async function removeSessions(
  db: Database,
  organizationId: string,
  before: Date,
  some: readonly string[],
): Promise<number> {
  const slices = Array.from({ length: Math.ceil(some.length / SESSIONS) }, (_, at) =>
    some.slice(at * SESSIONS, (at + 1) * SESSIONS),
  );
  return runEachPart(
    slices,
    () => ({}),
    (slice) =>
      runBatchBisectingFailures(
        slice,
        (sessionId) => ({ sessionId }),
        (ids) => removeTogether(db, organizationId, before, ids),
      ),
  );
}

async function removeTogether(
  db: Database,
  organizationId: string,
  before: Date,
  ids: readonly string[],
): Promise<number> {
  const gone = await db.query(
    toStatement(expired(organizationId, before).where(isAnyOfIdsSql("session_id", ids, "uuid"))),
  );
  let removed = 0;
  for (let slice: Slice = { more: gone.length > 0, sessions: 0 }; slice.more; removed += slice.sessions)
    slice = await db.transaction((trx) => removeSlice(trx, organizationId, before, ids));
  return removed;
}

interface Slice {
  /** True if the sessions to remove still have events. */
  more: boolean;
  sessions: number;
}

/**
 * Checks again under the lock that excludes commits of the organization, because a commit may just have added to a
 * session.
 */
async function removeSlice(
  trx: Transaction,
  organizationId: string,
  before: Date,
  ids: readonly string[],
): Promise<Slice> {
  await trx.query(toStatement(knex.raw(`select pg_advisory_xact_lock(${organizationLockKey(organizationId)})`)));
  const still = expired(organizationId, before).where(isAnyOfIdsSql("session_id", ids, "uuid"));
  const gone = (await trx.query<{ id: string }>(toStatement(still))).map(({ id }) => id);
  await trx.query({ text: DELETE_OBSERVATIONS_SQL, values: [organizationId, gone] });
  const events = await trx.query<{ timestamp: Date }>(toStatement(deleteEventsQuery(organizationId, gone)));
  const moments = events.map(({ timestamp }) => timestamp.getTime());
  for (const marks of createMarkHoursStatements(organizationId, moments)) await trx.query(marks);
  const sessions = await trx.query<{ session_id: string; user_id: string | null }>(
    toStatement(dropSessions(organizationId, gone)),
  );
  const removed = sessions.map(({ session_id }) => session_id);
  for (const beside of deleteSessionDataQueries(entityModel, organizationId, removed))
    await trx.query(toStatement(beside));
  const users = sessions.flatMap(({ user_id }) => user_id ?? []);
  await trx.query(toStatement(deleteSessionlessUsersQuery(organizationId, users)));
  return { more: events.length === MAX_DROPPED_EVENTS, sessions: sessions.length };
}

/** Maximum events that one transaction empties. */
const EMPTIED = 500;

/** SQL for the metadata fields that stay in the outline of a session: usage, model and checkpoints. */
const OUTLINE = `(select json_object_agg(m.key, m.value) from json_each(e.metadata) m
  where m.key like 'gen\\_ai.usage.%' or m.key = 'gen_ai.request.model' or (m.key like 'checkpoint.%' and json_typeof(m.value) = 'number'))`;

/**
 * Removes the text of the next events of a session after a position. Raw SQL, like all statements here: the statement
 * chooses the JSON members that stay.
 */
const EMPTY = `with chosen as (select event_id, timestamp from recorded_event
    where organization_id = $1 and session_id = $2 and (timestamp, event_id) > ($3::timestamptz, $4::uuid)
    order by timestamp, event_id limit ${EMPTIED}),
  emptied as (update recorded_event e set args = '', result = '', digest = null,
      metadata = case when e.part is null and json_typeof(e.metadata) = 'object' then ${OUTLINE} end
    from chosen c where e.organization_id = $1 and e.event_id = c.event_id)
  select event_id as id, timestamp::text as at from chosen order by timestamp desc, event_id desc limit 1`;

/** Actions are derived from text and are removed too. */
const FORGET_ACTIONS = "delete from recorded_action where organization_id = $1 and session_id = $2";

/** Empties the row of the session itself. A later report starts from an empty state. */
const END = `update recorded_session set metadata = '{}', client_config = null, observed = null, waits_for = null, texts_removed_at = now()
    where organization_id = $1 and session_id = $2`;

/** Deletes the handovers of the session's issues, because the handovers contain text of the session. */
const FORGET_HANDOVERS = `delete from "issueHandover" h using "issueSession" l where l."organizationId" = $1
  and l."sessionId" = $2 and h."organizationId" = $1 and h.id = l."issueId"`;

/**
 * Empties the text of the given sessions that received nothing since a time. Returns the number of emptied sessions.
 */
export async function clearInactiveSessionTexts(
  db: Database,
  organizationId: string,
  before: Date,
  some: string[],
): Promise<number> {
  const old = await db.query<{ id: string }>(
    toStatement(expired(organizationId, before).where(isAnyOfIdsSql("session_id", some, "uuid"))),
  );
  const emptyTexts = async ({ id }: { id: string }) => {
    let place: { at: string; id: string } | undefined = { at: "-infinity", id: "00000000-0000-0000-0000-000000000000" };
    while (place) {
      const values: unknown[] = [organizationId, id, place.at, place.id];
      [place] = await db.query<{ at: string; id: string }>({ text: EMPTY, values });
    }
    await db.transaction(async (trx) => {
      await trx.query({ text: DELETE_OBSERVATIONS_SQL, values: [organizationId, [id]] });
      await trx.query({ text: FORGET_ACTIONS, values: [organizationId, id] });
      await trx.query({ text: END, values: [organizationId, id] });
      await trx.query({ text: FORGET_HANDOVERS, values: [organizationId, id] });
      // The removed metadata contained the repository, which is counted, so the session must be counted again.
      for (const marks of createMarkSessionsStatements(organizationId, [id])) await trx.query(marks);
    });
    return 1;
  };
  return runEachPart(old, ({ id }) => ({ sessionId: id }), emptyTexts);
}
