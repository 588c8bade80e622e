import { toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { markSessions } from "../../resources/recorded/analytics/index.ts";
import { isAny, TAKE_OBSERVATIONS } from "../../resources/recorded/deletion/rows.ts";
import { expired } from "./expired.ts";

/** Events that one transaction empties. */
const EVENTS = 500;

/** Members of metadata that belong to the outline: measures and checkpoints. */
const OUTLINE = `(select json_object_agg(m.key, m.value) from json_each(e.metadata) m
  where m.key like 'gen\\_ai.usage.%' or m.key = 'gen_ai.request.model' or (m.key like 'checkpoint.%' and json_typeof(m.value) = 'number'))`;

/** Raw SQL, as of all here: what stays of JSON is chosen by the statement. Empties the next events of a session behind a place. */
const EMPTY = `with chosen as (select event_id, timestamp from recorded_event
    where organization_id = $1 and session_id = $2 and (timestamp, event_id) > ($3::timestamptz, $4::uuid)
    order by timestamp, event_id limit ${EVENTS}),
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
  for (const { id } of old) {
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
  }
  return old.length;
}
