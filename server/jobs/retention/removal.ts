import { knex, toStatement } from "../../../db/builder.ts";
import { sumEach, sumTogether } from "../../../db/errors/parts.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { model } from "../../resources/index.ts";
import { markHours, markSessions } from "../../resources/recorded/analytics/index.ts";
import {
  dropBeside,
  dropEvents,
  dropUsers,
  EVENTS,
  isAny,
  TAKE_OBSERVATIONS,
} from "../../resources/recorded/deletion/rows.ts";
import { isHeld } from "../../resources/recorded/retention/due.ts";
import { lockOf } from "../../resources/recorded/retention/lock.ts";

/** Sessions without an event since a moment. Mostly the last event shows that a session goes on: it is read first. */
const expired = (organizationId: string, before: Date) => {
  const events = knex("recorded_event as e")
    .where("e.organization_id", organizationId)
    .where("e.session_id", knex.ref("s.session_id"));
  const last = events.clone().orderBy(["e.timestamp", "e.event_id"].map(downward)).limit(1).select("e.received_at");
  const any = events.clone().where("e.received_at", ">=", before).limit(1).select(knex.raw("true"));
  return knex("recorded_session as s")
    .where("organization_id", organizationId)
    .where("last_received_at", "<", before)
    .whereRaw(`not ${isHeld({ alias: "s", organization: "cast(:organizationId as uuid)" })}`, { organizationId })
    .whereRaw("case when (?) >= ? then false else (?) is null end", [last, before, any])
    .select("session_id as id");
};

const downward = (column: string) => ({ column, order: "desc" });

/** Deletes sessions that have no event left. */
const dropSessions = (organization_id: string, ids: string[]) =>
  knex("recorded_session as s")
    .where({ organization_id })
    .where(isAny("session_id", ids, "uuid"))
    .whereNotExists(
      knex("recorded_event as e")
        .where({ "e.organization_id": organization_id, "e.session_id": knex.ref("s.session_id") })
        .select(knex.raw("1")),
    )
    .delete(["session_id", "user_id"]);

/** Sessions that one transaction removes: it holds the organization's writers back. */
const SESSIONS = 100;

/** Removes those of some sessions of which nothing was received since a moment. Answers how many they were. */
export async function removeSessions(
  db: Database,
  organizationId: string,
  before: Date,
  some: readonly string[],
): Promise<number> {
  const slices = Array.from({ length: Math.ceil(some.length / SESSIONS) }, (_, at) =>
    some.slice(at * SESSIONS, (at + 1) * SESSIONS),
  );
  return sumEach(
    slices,
    () => ({}),
    (slice) =>
      sumTogether(
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
  const gone = await db.query(toStatement(expired(organizationId, before).where(isAny("session_id", ids, "uuid"))));
  let removed = 0;
  for (let slice: Slice = { more: gone.length > 0, sessions: 0 }; slice.more; removed += slice.sessions)
    slice = await db.transaction((trx) => removeSlice(trx, organizationId, before, ids));
  return removed;
}

interface Slice {
  /** True when events of these sessions are left. */
  more: boolean;
  sessions: number;
}

/** Looks again while no commit of this organization is under way: one may just have added to a session. */
async function removeSlice(
  trx: Transaction,
  organizationId: string,
  before: Date,
  ids: readonly string[],
): Promise<Slice> {
  await trx.query(toStatement(knex.raw(`select pg_advisory_xact_lock(${lockOf(organizationId)})`)));
  const still = expired(organizationId, before).where(isAny("session_id", ids, "uuid"));
  const gone = (await trx.query<{ id: string }>(toStatement(still))).map(({ id }) => id);
  await trx.query({ text: TAKE_OBSERVATIONS, values: [organizationId, gone] });
  const events = await trx.query<{ timestamp: Date }>(toStatement(dropEvents(organizationId, gone)));
  const moments = events.map(({ timestamp }) => timestamp.getTime());
  for (const marks of markHours(organizationId, moments)) await trx.query(marks);
  const sessions = await trx.query<{ session_id: string; user_id: string | null }>(
    toStatement(dropSessions(organizationId, gone)),
  );
  const removed = sessions.map(({ session_id }) => session_id);
  for (const beside of dropBeside(model, organizationId, removed)) await trx.query(toStatement(beside));
  const users = sessions.flatMap(({ user_id }) => user_id ?? []);
  await trx.query(toStatement(dropUsers(organizationId, users)));
  return { more: events.length === EVENTS, sessions: sessions.length };
}

/** Events that one transaction empties. */
const EMPTIED = 500;

/** Members of metadata that belong to the outline: measures and checkpoints. */
const OUTLINE = `(select json_object_agg(m.key, m.value) from json_each(e.metadata) m
  where m.key like 'gen\\_ai.usage.%' or m.key = 'gen_ai.request.model' or (m.key like 'checkpoint.%' and json_typeof(m.value) = 'number'))`;

/** Raw SQL, as of all here: what stays of JSON is chosen by the statement. Empties the next events of a session behind a place. */
const EMPTY = `with chosen as (select event_id, timestamp from recorded_event
    where organization_id = $1 and session_id = $2 and (timestamp, event_id) > ($3::timestamptz, $4::uuid)
    order by timestamp, event_id limit ${EMPTIED}),
  emptied as (update recorded_event e set args = '', result = '', digest = null,
      metadata = case when e.part is null and json_typeof(e.metadata) = 'object' then ${OUTLINE} end
    from chosen c where e.organization_id = $1 and e.event_id = c.event_id)
  select event_id as id, timestamp::text as at from chosen order by timestamp desc, event_id desc limit 1`;

/** Actions are read from texts. */
const FORGET_ACTIONS = "delete from recorded_action where organization_id = $1 and session_id = $2";

/** Empties the session beside its events; a report that comes later begins anew. */
const END = `update recorded_session set metadata = '{}', client_config = null, observed = null, waits_for = null, texts_removed_at = now()
    where organization_id = $1 and session_id = $2`;

/** Texts of the session stand in the handovers of its issues. */
const FORGET_HANDOVERS = `delete from "issueHandover" h using "issueSession" l where l."organizationId" = $1
  and l."sessionId" = $2 and h."organizationId" = $1 and h.id = l."issueId"`;

/** Empties the texts of those of some sessions of which nothing was received since a moment. Answers how many they were. */
export async function removeTexts(db: Database, organizationId: string, before: Date, some: string[]): Promise<number> {
  const old = await db.query<{ id: string }>(
    toStatement(expired(organizationId, before).where(isAny("session_id", some, "uuid"))),
  );
  const emptyTexts = async ({ id }: { id: string }) => {
    let place: { at: string; id: string } | undefined = { at: "-infinity", id: "00000000-0000-0000-0000-000000000000" };
    while (place) {
      const values: unknown[] = [organizationId, id, place.at, place.id];
      [place] = await db.query<{ at: string; id: string }>({ text: EMPTY, values });
    }
    await db.transaction(async (trx) => {
      await trx.query({ text: TAKE_OBSERVATIONS, values: [organizationId, [id]] });
      await trx.query({ text: FORGET_ACTIONS, values: [organizationId, id] });
      await trx.query({ text: END, values: [organizationId, id] });
      await trx.query({ text: FORGET_HANDOVERS, values: [organizationId, id] });
      // Its repository was in what is emptied, and is counted.
      for (const marks of markSessions(organizationId, [id])) await trx.query(marks);
    });
    return 1;
  };
  return sumEach(old, ({ id }) => ({ sessionId: id }), emptyTexts);
}
