import type { Entity, SqlRow } from "../../read/entity.ts";
import { column, organization } from "../../read/row.ts";
import type { Resource } from "../resource.ts";
import { groupIdOf, lineOf, messageOf, titleOf } from "./failures/message.ts";
import { keyCondition } from "./key.ts";
import { costSourceOf, isTurn, kindOf, measuresOf } from "./kinds.ts";

const KIB = 1024;

/** A turn or a tool call, as ingestion recorded it. */
export const recordedEvent: Resource = {
  entity: {
    name: "RecordedEvent",
    table: "recorded_event",
    columns: {
      id: "uuid",
      parentId: "uuid",
      primitiveName: "text",
      primitiveType: "text",
      args: "text",
      result: "text",
      success: "boolean",
      latency: "integer",
      timestamp: "timestamp",
      receivedAt: "timestamp",
      metadata: "json",
      errorMessage: "text",
      redacted: "json",
    },
    internal: { sessionId: "uuid" },
    names: {
      organizationId: "organization_id",
      id: "event_id",
      sessionId: "session_id",
      parentId: "parent_id",
      primitiveName: "primitive_name",
      primitiveType: "primitive_type",
      receivedAt: "received_at",
      createdAt: "timestamp",
      errorMessage: "message",
    },
    tuning: { long: { args: 1024 * KIB, result: 1024 * KIB, metadata: 64 * KIB } },
    computed: {
      failureGroupId: { type: "uuid", sql: failureGroupId },
      failureTitle: {
        type: "text",
        sql: ({ alias }) =>
          `case when not ${alias}.success then ${titleOf(`${alias}.primitive_name`, lineOf(alias))} end`,
      },
      kind: { type: "text", sql: ({ alias }) => kindOf(alias) },
      open: { type: "boolean", sql: ({ alias }) => `coalesce(${alias}.open, false)` },
      model: { type: "text", sql: ({ alias }) => measuresOf(alias).model },
      inputTokens: { type: "integer", sql: ({ alias }) => measuresOf(alias).input_tokens },
      outputTokens: { type: "integer", sql: ({ alias }) => measuresOf(alias).output_tokens },
      cacheReadTokens: { type: "integer", sql: ({ alias }) => measuresOf(alias).cache_read_tokens },
      cacheWriteTokens: { type: "integer", sql: ({ alias }) => measuresOf(alias).cache_write_tokens },
      cost: { type: "float", sql: ({ alias }) => measuresOf(alias).cost },
      costSource: { type: "text", sql: ({ alias }) => costSourceOf(alias) },
      orphan: { type: "boolean", sql: orphan },
      root: { type: "boolean", sql: (row) => `(${column(row, "parentId")} is null or ${orphan(row)})` },
    },
    filters: { metadata: (row, argument) => keyCondition(`${column(row, "metadata")}::jsonb`, row, argument) },
    one: {
      session: { entity: "RecordedSession", by: "sessionId", onDelete: "cascade-silently" },
      turn: { entity: "RecordedEvent", where: isTurnOf },
    },
    many: {
      children: { entity: "RecordedEvent", where: isUnder, oldestFirst: true },
      // There may be more, but they are parts of one value of the event and cost no reading.
      checkpoints: { entity: "RecordedCheckpoint", rows: checkpoints, most: 10 },
    },
  },
  one: { recordedEvent: { entity: "RecordedEvent" } },
};

/** The group of failures that it is one of, read from what it says. */
function failureGroupId({ alias, build }: SqlRow): string {
  const name = `${alias}.primitive_name`;
  return `case when not ${alias}.success then ${groupIdOf(organization(build), name, messageOf(lineOf(alias)))} end`;
}

function isUnder(row: SqlRow, parent: SqlRow | null): string {
  if (!parent) return "true";
  return `${column(row, "parentId")} = ${column(parent, "id")}
    and ${column(row, "sessionId")} = ${column(parent, "sessionId")} and not ${orphan(row)}`;
}

/** Events between one and the turn that it is part of. */
const DEEPEST = 50;

/** SQL of whether an event is the first turn on the way up from another, which may be a turn itself. */
function isTurnOf(turn: SqlRow, event: SqlRow | null): string {
  if (!event) return "false";
  const above = (id: string) => `(select e.event_id, e.parent_id, ${isTurn("e")} as turn from recorded_event e
    where e.organization_id = ${organization(turn.build)} and e.event_id = ${id} offset 0)`;
  return `${column(turn, "sessionId")} = ${column(event, "sessionId")} and ${column(turn, "id")} = (
    with recursive up as (select f.*, 1 as depth from ${above(column(event, "id"))} f
      union all select p.*, up.depth + 1 from up cross join lateral ${above("up.parent_id")} p
        where not up.turn and up.depth < ${DEEPEST})
    select u.event_id from up u where u.turn limit 1)`;
}

/**
 * An event whose parent is not in its session; or the earliest of a circle of parents, which is broken there. The walk
 * upwards ends at the top, at a gap, or where it began (UNION meets no event twice).
 */
function orphan(row: SqlRow): string {
  const [id, parentId, timestamp] = [column(row, "id"), column(row, "parentId"), column(row, "timestamp")];
  // By the id alone: PostgreSQL takes a session for a short one, and would read all of it for each event. OFFSET 0 keeps it
  // from that: scale.test ("a session of 2,000 events, nested") fails without it.
  const above = (child: string) => `(select p.event_id, p.parent_id, p.timestamp, p.session_id from recorded_event p
    where p.organization_id = ${organization(row.build)} and p.event_id = ${child} offset 0) p
    where p.session_id = ${column(row, "sessionId")}`;
  return `(case when ${parentId} is null then false
    when not exists (select from ${above(parentId)}) then true
    else coalesce((with recursive up as (
        select p.event_id, p.parent_id, p.timestamp from ${above(parentId)}
        union
        select p.event_id, p.parent_id, p.timestamp from up cross join lateral ${above("up.parent_id")} and up.event_id <> ${id})
      select bool_or(event_id = ${id}) and not bool_or((timestamp, event_id) < (${timestamp}, ${id})) from up), false) end)`;
}

/** The checkpoints of an event as rows, in order of time. Raw SQL: a part of what the read planner writes. */
function checkpoints(row: SqlRow): string {
  return `select c.*, c.name as id, row_number() over (order by c.at, c.name) as position,
      c.at - min(c.at) over () as offset, coalesce(c.at - lag(c.at) over (order by c.at, c.name), 0) as delta,
      coalesce((c.at - lag(c.at) over (order by c.at, c.name)) / nullif(max(c.at) over () - min(c.at) over (), 0), 0) as share
    from (select substr(m.key, 12) as name, (m.value #>> '{}')::float8 as at
      from jsonb_each(${column(row, "metadata")}::jsonb) m
      where m.key like 'checkpoint.%' and jsonb_typeof(m.value) = 'number') c`;
}

/** A milestone inside one event. */
export const recordedCheckpoint: { entity: Entity } = {
  entity: {
    name: "RecordedCheckpoint",
    table: "",
    columns: { name: "text", at: "float", offset: "float", delta: "float", share: "float", position: "integer" },
  },
};
