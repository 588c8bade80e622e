import type { Entity, SqlRow } from "../../read/entity.ts";
import { bindOrganization, columnSql } from "../../read/row.ts";
import type { Resource } from "../resource.ts";
import {
  failureGroupIdSql,
  failureTitleSql,
  normalizedFailureMessageSql,
  storedFailureMessageSql,
} from "./failures/message.ts";
import { jsonKeyConditionSql } from "./key.ts";
import { costSourceSql, isTurnSql, kindSql, measuresSql } from "./kinds.ts";

const KIB = 1024;

/** A turn or a tool call, as recorded by ingestion. */
export const recordedEventResource: Resource = {
  entity: {
    name: "RecordedEvent",
    table: "recorded_event",
    exact: ["kind"],
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
          `case when not ${alias}.success then ${failureTitleSql(`${alias}.primitive_name`, storedFailureMessageSql(alias))} end`,
      },
      kind: { type: "text", sql: ({ alias }) => kindSql(alias) },
      open: { type: "boolean", sql: ({ alias }) => `coalesce(${alias}.open, false)` },
      model: { type: "text", sql: ({ alias }) => measuresSql(alias).model },
      inputTokens: { type: "integer", sql: ({ alias }) => measuresSql(alias).input_tokens },
      outputTokens: { type: "integer", sql: ({ alias }) => measuresSql(alias).output_tokens },
      cacheReadTokens: { type: "integer", sql: ({ alias }) => measuresSql(alias).cache_read_tokens },
      cacheWriteTokens: { type: "integer", sql: ({ alias }) => measuresSql(alias).cache_write_tokens },
      cost: { type: "float", sql: ({ alias }) => measuresSql(alias).cost },
      costSource: { type: "text", sql: ({ alias }) => costSourceSql(alias) },
      orphan: { type: "boolean", sql: orphan },
      root: { type: "boolean", sql: (row) => `(${columnSql(row, "parentId")} is null or ${orphan(row)})` },
    },
    filters: {
      metadata: (row, argument) => jsonKeyConditionSql(`${columnSql(row, "metadata")}::jsonb`, row, argument),
    },
    one: {
      session: { entity: "RecordedSession", by: "sessionId", onDelete: "cascade-silently" },
      turn: { entity: "RecordedEvent", where: isTurnOf },
    },
    many: {
      children: { entity: "RecordedEvent", where: isUnder, oldestFirst: true },
      // An event may have more than 10 checkpoints. All checkpoints are in the metadata of the event, so more
      // checkpoints need no further reads.
      checkpoints: { entity: "RecordedCheckpoint", rows: checkpoints, most: 10 },
    },
  },
  one: { recordedEvent: { entity: "RecordedEvent" } },
};

/** SQL for the id of an event's failure group, computed from the message. */
function failureGroupId({ alias, build }: SqlRow): string {
  const name = `${alias}.primitive_name`;
  return `case when not ${alias}.success then ${failureGroupIdSql(bindOrganization(build), name, normalizedFailureMessageSql(storedFailureMessageSql(alias)))} end`;
}

function isUnder(row: SqlRow, parent: SqlRow | null): string {
  if (!parent) return "true";
  return `${columnSql(row, "parentId")} = ${columnSql(parent, "id")}
    and ${columnSql(row, "sessionId")} = ${columnSql(parent, "sessionId")} and not ${orphan(row)}`;
}

/** Maximum number of events between an event and its turn. */
const DEEPEST = 50;

/** SQL condition: `turn` is the nearest turn, starting from `event` itself and going up through its ancestors. */
function isTurnOf(turn: SqlRow, event: SqlRow | null): string {
  if (!event) return "false";
  const above = (id: string) => `(select e.event_id, e.parent_id, ${isTurnSql("e")} as turn from recorded_event e
    where e.organization_id = ${bindOrganization(turn.build)} and e.event_id = ${id} offset 0)`;
  return `${columnSql(turn, "sessionId")} = ${columnSql(event, "sessionId")} and ${columnSql(turn, "id")} = (
    with recursive up as (select f.*, 1 as depth from ${above(columnSql(event, "id"))} f
      union all select p.*, up.depth + 1 from up cross join lateral ${above("up.parent_id")} p
        where not up.turn and up.depth < ${DEEPEST})
    select u.event_id from up u where u.turn limit 1)`;
}

/**
 * SQL condition: an event has a parent, but the tree shows the event at its root. Either the parent is not in the
 * event's session, or the event is the earliest event in a cycle of parents, and the tree breaks the cycle at this
 * event. The recursion ends at the top, at a missing parent, or after one round of the cycle (UNION visits no event
 * twice).
 */
function orphan(row: SqlRow): string {
  const [id, parentId, timestamp] = [columnSql(row, "id"), columnSql(row, "parentId"), columnSql(row, "timestamp")];
  // OFFSET 0 makes PostgreSQL find the parent by id. Otherwise PostgreSQL assumes that a session is short, and reads
  // the whole session for each event. The test "a session of 2,000 events, nested" in scale.test fails without OFFSET
  // 0.
  const above = (child: string) => `(select p.event_id, p.parent_id, p.timestamp, p.session_id from recorded_event p
    where p.organization_id = ${bindOrganization(row.build)} and p.event_id = ${child} offset 0) p
    where p.session_id = ${columnSql(row, "sessionId")}`;
  return `(case when ${parentId} is null then false
    when not exists (select from ${above(parentId)}) then true
    else coalesce((with recursive up as (
        select p.event_id, p.parent_id, p.timestamp from ${above(parentId)}
        union
        select p.event_id, p.parent_id, p.timestamp from up cross join lateral ${above("up.parent_id")} and up.event_id <> ${id})
      select bool_or(event_id = ${id}) and not bool_or((timestamp, event_id) < (${timestamp}, ${id})) from up), false) end)`;
}

/** Checkpoints of an event as rows, in order of time. Raw SQL: a fragment for the read planner. */
function checkpoints(row: SqlRow): string {
  return `select c.*, c.name as id, row_number() over (order by c.at, c.name) as position,
      c.at - min(c.at) over () as offset, coalesce(c.at - lag(c.at) over (order by c.at, c.name), 0) as delta,
      coalesce((c.at - lag(c.at) over (order by c.at, c.name)) / nullif(max(c.at) over () - min(c.at) over (), 0), 0) as share
    from (select substr(m.key, 12) as name, (m.value #>> '{}')::float8 as at
      from jsonb_each(${columnSql(row, "metadata")}::jsonb) m
      where m.key like 'checkpoint.%' and jsonb_typeof(m.value) = 'number') c`;
}

/** A point in time inside an event. */
export const recordedCheckpointResource: { entity: Entity } = {
  entity: {
    name: "RecordedCheckpoint",
    table: "",
    columns: { name: "text", at: "float", offset: "float", delta: "float", share: "float", position: "integer" },
  },
};
