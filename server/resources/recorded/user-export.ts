import { inputError, notFound } from "../../errors.ts";
import { NO_ID } from "../../id.ts";
import { isGiven } from "../../read/connection/page.ts";
import type { StatementBuild } from "../../read/entity.ts";
import { bindOrganization, getArgumentShape } from "../../read/row.ts";
import type { Selection } from "../../read/selection.ts";
import type { CoercedArguments, Resource } from "../resource.ts";
import { bindArgument, createComputedRowField } from "./computed-row.ts";

/**
 * Limits of a page: the number of lines, the approximate number of bytes, and the number of sessions that are read. A
 * page always contains at least one line.
 */
const [LINES, BYTES, SESSIONS] = [500, 1024 * 1024, 20];

/** Root field `recordedUserExport`: all stored data of a user, as JSON lines. */
export const recordedUserExportResource: Resource = {
  entity: { name: "RecordedUserExport", table: "", columns: { lines: "text[]", endCursor: "text" } },
  values: {
    recordedUserExport: {
      ...createComputedRowField("RecordedUserExport", page),
      refusal: async (_scope, { id }) => notFound("recorded user export", String(id)),
    },
  },
};

/**
 * Position of a line: the session, the time of the event, and the id of the event or observation. A session precedes
 * its events, and the session's observations follow the events.
 */
interface Place {
  session: string;
  at: string;
  event: string;
}

const CURSOR = /^([0-9a-f-]{36}) (-?infinity|[0-9T:.+ -]{10,40}) ([0-9a-f-]{36})$/;

function placeOf({ after }: CoercedArguments): Place {
  if (!isGiven(after)) return { session: NO_ID, at: "-infinity", event: NO_ID };
  const [, session, at, event] = CURSOR.exec(String(after)) ?? [];
  if (!session || !at || !event) throw inputError("after is not a cursor of this export", "after");
  return { session, at, event };
}

const EVENT = `json_build_object('type', 'event', 'id', e.event_id, 'sessionId', e.session_id, 'parentId', e.parent_id,
  'timestamp', e.timestamp, 'receivedAt', e.received_at, 'name', e.primitive_name, 'primitiveType', e.primitive_type,
  'success', e.success, 'latency', e.latency, 'args', e.args, 'result', e.result, 'metadata', e.metadata,
  'model', e.model, 'cost', e.cost, 'computedCost', e.computed_cost, 'errorMessage', e.message)`;

const OBSERVATION = `json_build_object('type', 'observation', 'id', o.batch_id, 'sessionId', k.session_id,
  'receivedAt', o.received_at, 'keyName', o.key_name, 'body', o.body)`;

/**
 * Observations of a session `s`: observations that name the session, and observations without a session that belong to
 * the same parts (rows of recorded_part) as events of the session.
 */
const observationsOf = (own: string) => `(
  select o.batch_id, o.part, o.body from recorded_observation o
   where o.organization_id = ${own} and o.session_id = s.session_id
  union all
  select o.batch_id, o.part, o.body from (select distinct e.part from recorded_event e
      where e.organization_id = ${own} and e.session_id = s.session_id and e.part is not null) p
    join recorded_observation o on o.organization_id = ${own} and o.part = p.part and o.session_id is null)`;

/**
 * Raw SQL: a fragment for the read planner. The lengths of texts are added up first, so that only the texts of the page
 * are read.
 */
function page(build: StatementBuild, selection: Selection): string {
  const own = bindOrganization(build);
  const user = bindArgument(build, selection, "id", "text", ({ id }) => id);
  const from = (name: keyof Place, type: string) =>
    bindArgument(build, selection, `after.${name}`, type, (args) => placeOf(args)[name]);
  const [session, at, event] = [from("session", "uuid"), from("at", "timestamptz"), from("event", "uuid")];
  const first = isGiven(getArgumentShape(build, selection).after)
    ? ""
    : `select row_to_json(u)::text as line, 0 as n from (select 'user' as type, user_id as id, traits,
        first_seen_at as "firstSeenAt" from recorded_user where organization_id = ${own} and user_id = ${user}) u union all`;
  return `with sessions as materialized (select s.* from recorded_session s
      where s.organization_id = ${own} and s.user_id = ${user} and s.session_id >= ${session}
      order by s.session_id limit ${SESSIONS}),
    keys as materialized (select k.*, row_number() over (order by k.session_id, k.at, k.event_id) as n from (
        select session_id, '-infinity'::timestamptz as at, '${NO_ID}'::uuid as event_id, null::uuid as part,
          octet_length(metadata::text) as bytes from sessions where session_id > ${session}
        union all
        select s.session_id, 'infinity', o.batch_id, o.part, o.bytes from sessions s cross join lateral (
          select o.*, octet_length(o.body::text) as bytes from (select * from ${observationsOf(own)} o
            where s.session_id > ${session} or ('infinity'::timestamptz, o.batch_id) > (${at}, ${event})
            order by o.batch_id limit ${LINES + 1}) o) o
        union all
        select s.session_id, e.timestamp, e.event_id, null, e.bytes from sessions s cross join lateral (
          select e.timestamp, e.event_id, octet_length(e.args) + octet_length(e.result)
              + coalesce(octet_length(e.metadata::text), 0) as bytes
            from recorded_event e where e.organization_id = ${own} and e.session_id = s.session_id
              and (s.session_id > ${session} or (e.timestamp, e.event_id) > (${at}, ${event}))
            order by e.timestamp, e.event_id limit ${LINES + 1}) e) k
      order by k.session_id, k.at, k.event_id limit ${LINES + 1}),
    shown as (select k.* from (select keys.*, sum(bytes) over (order by n) - bytes as before from keys) k
      where k.n <= ${LINES} and k.before < ${BYTES}),
    last as (select * from shown order by n desc limit 1),
    lines (line, n) as (${first}
      select case when k.at = '-infinity' then (select json_build_object('type', 'session', 'id', s.session_id,
          'externalId', s.external_id, 'source', s.source, 'clientConfig', s.client_config, 'startedAt', s.timestamp,
          'metadata', s.metadata, 'observed', s.observed) from sessions s where s.session_id = k.session_id)
        when k.part is not null then (select ${OBSERVATION} from recorded_observation o
          where o.organization_id = ${own} and o.part = k.part and o.batch_id = k.event_id)
        else (select ${EVENT} from recorded_event e where e.organization_id = ${own} and e.event_id = k.event_id) end::text,
        k.n from shown k)
    select array(select line from lines order by n) as lines,
      (select l.session_id || ' ' || l.at::text || ' ' || l.event_id from last l
        where (select count(*) from keys) > l.n or (select count(*) from sessions) = ${SESSIONS}) as "endCursor"
    where exists (select from recorded_user where organization_id = ${own} and user_id = ${user})`;
}
