import type { Entity, SqlRow } from "../../read/entity.ts";
import { columnSql } from "../../read/row.ts";
import type { Resource } from "../resource.ts";
import { relationChangesSql } from "./entries.ts";

/** Values of an issue before and after a change, by their names in the change log. */
const VALUES = {
  title: "text",
  priority: "integer",
  estimate: "integer",
  dueDate: "date",
  identifier: "text",
  stateId: "uuid",
  assigneeId: "uuid",
  delegateId: "uuid",
  teamId: "uuid",
  projectId: "uuid",
  projectMilestoneId: "uuid",
  cycleId: "uuid",
  parentId: "uuid",
  labelIds: "json",
};

type Side = "before" | "since";

/**
 * Joins the values before or after the change of an entry, at most once per FROM clause. The JSON of each shown entry
 * is therefore parsed only once. Raw SQL: a fragment for the read planner.
 */
function side(row: SqlRow, which: Side): string {
  const alias = `${which}_${row.alias}`;
  if (row.frame.rows.has(alias)) return alias;
  const json = columnSql(row, which === "before" ? "updatedFrom" : "data");
  const names = Object.entries(VALUES).map(([name, type]) => `"${name}" ${type}`);
  const changed = which === "before" ? `, array(select json_object_keys(${json})) as changed` : "";
  row.frame.rows.set(alias, row);
  row.frame.joins.push(` left join lateral (select v.*${changed}
    from (select 1) o left join json_to_record(${json}) v (${names.join(", ")}) on true) ${alias} on true`);
  return alias;
}

/** SQL condition: an entry changed a value. */
const changed = (row: SqlRow, name: string): string => `'${name}' = any(${side(row, "before")}.changed)`;

/** SQL for a value before the change, if the entry changed the value. */
const from = (row: SqlRow, name: string): string => `${side(row, "before")}."${name}"`;

/** SQL for a value after the change, if the entry changed the value. */
const to = (row: SqlRow, name: string): string =>
  `case when ${changed(row, name)} then ${side(row, "since")}."${name}" end`;

/**
 * SQL for the ids of labels that an issue had on one side of a change (before or after) but not on the other side. Null
 * if the labels did not change.
 */
function labelsOnly(row: SqlRow, there: Side, notThere: Side): string {
  const ids = (which: Side) => `select json_array_elements_text(${side(row, which)}."labelIds")`;
  return `case when ${changed(row, "labelIds")} then array(${ids(there)} except ${ids(notThere)} order by 1) end`;
}

/** SQL for a boolean: true if an entry moved the issue to the trash, false if it restored the issue, null otherwise. */
const trashed = (row: SqlRow): string => `case when ${columnSql(row, "event")} = 'issue.deleted' then true
  when ${columnSql(row, "event")} = 'issue.unarchived' and ${changed(row, "trashed")} then false end`;

/**
 * Maximum number of labels per change that are shown as entities. The ids of all labels are shown. The points of a page
 * assume this number for each entry.
 */
const LABELS = 10;
const BOTH = {
  State: "WorkflowState",
  Assignee: "User",
  Team: "Team",
  Project: "Project",
  Cycle: "Cycle",
  Parent: "Issue",
};
/**
 * Links of history entries. The links in `BOTH` also have an id field; the links to a delegate and to a milestone do
 * not.
 */
const LINKED = { ...BOTH, Delegate: "User", ProjectMilestone: "ProjectMilestone" };
const PLAIN = { Title: "text", Priority: "integer", Estimate: "integer", DueDate: "date", Identifier: "text" } as const;
const uuid = (sql: (row: SqlRow) => string) => ({ type: "uuid" as const, sql });

/**
 * Returns a to-one link to the row whose id the SQL `id` reads from an entry: a value before or after the change, or
 * for example the actor of the change.
 */
const link = (entity: string, id: (row: SqlRow) => string) => ({
  entity,
  where: (target: SqlRow, row: SqlRow | null) => (row ? `${columnSql(target, "id")} = ${id(row)}` : "false"),
});

const stem = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Returns two members per field: the value before and the value after the change. */
const fromAndTo = <Given, Value>(
  fields: Readonly<Record<string, Given>>,
  make: (name: string, value: typeof from, given: Given) => readonly [string, Value],
) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, given]) =>
      (
        [
          ["from", from],
          ["to", to],
        ] as const
      ).map(([side, value]) => {
        const [suffix, made] = make(name, value, given);
        return [`${side}${suffix}`, made] as const;
      }),
    ),
  );

const actorId = (row: SqlRow) => `(${columnSql(row, "actor")} ->> 'id')::uuid`;

/** The history of an issue, read from the change log, which stores each change with the previous values. */
export const issueHistoryResource: Resource = {
  entity: {
    name: "IssueHistory",
    table: "",
    columns: { id: "uuid", createdAt: "timestamp", updatedAt: "timestamp", event: "text" },
    computed: {
      actorId: uuid(actorId),
      ...fromAndTo(PLAIN, (name, value, type) => [name, { type, sql: (row: SqlRow) => value(row, stem(name)) }]),
      ...fromAndTo(BOTH, (name, value) => [`${name}Id`, uuid((row) => value(row, `${stem(name)}Id`))]),
      updatedDescription: { type: "boolean", sql: (row) => `nullif(${changed(row, "description")}, false)` },
      addedLabelIds: { type: "text[]", sql: (row) => labelsOnly(row, "since", "before") },
      removedLabelIds: { type: "text[]", sql: (row) => labelsOnly(row, "before", "since") },
      archived: {
        type: "boolean",
        sql: (row) => `case when ${trashed(row)} is null and ${changed(row, "archivedAt")}
          then ${columnSql(row, "event")} <> 'issue.unarchived' end`,
      },
      trashed: { type: "boolean", sql: trashed },
    },
    one: {
      issue: link("Issue", (row) => columnSql(row, "issueId")),
      actor: link("User", actorId),
      onBehalfOf: link("User", (row) => `(${columnSql(row, "actor")} -> 'onBehalfOf' ->> 'id')::uuid`),
      ...fromAndTo(LINKED, (name, value, entity) => [name, link(entity, (row) => value(row, `${stem(name)}Id`))]),
    },
    many: {
      addedLabels: { entity: "IssueLabel", where: isIn((row) => labelsOnly(row, "since", "before")), most: LABELS },
      removedLabels: {
        entity: "IssueLabel",
        where: isIn((row) => labelsOnly(row, "before", "since")),
        most: LABELS,
      },
      relationChanges: { entity: "IssueRelationHistoryPayload", rows: relationChangesSql, most: 2 },
    },
  },
};

/** A relation that was added or removed. */
export const issueRelationHistoryResource: { entity: Entity } = {
  entity: {
    name: "IssueRelationHistoryPayload",
    table: "",
    columns: { identifier: "text", type: "text", position: "integer" },
  },
};

function isIn(ids: (row: SqlRow) => string) {
  return (target: SqlRow, row: SqlRow | null) =>
    row ? `${columnSql(target, "id")}::text = any((${ids(row)})[1:${LABELS}])` : "false";
}
