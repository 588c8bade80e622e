import type { SqlRow } from "../../read/entity.ts";
import { column } from "../../read/row.ts";

/** Values of an issue as it was before a change and as it is since, under the names of the change log. */
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
 * The values of an entry on one side of its change, joined once a FROM clause: each entry's JSON is parsed once, and only
 * that of entries which are shown. Raw SQL: a part of what the read planner writes.
 */
function side(row: SqlRow, which: Side): string {
  const alias = `${which}_${row.alias}`;
  if (row.frame.rows.has(alias)) return alias;
  const json = column(row, which === "before" ? "updatedFrom" : "data");
  const names = Object.entries(VALUES).map(([name, type]) => `"${name}" ${type}`);
  const changed = which === "before" ? `, array(select json_object_keys(${json})) as changed` : "";
  row.frame.rows.set(alias, row);
  row.frame.joins.push(` left join lateral (select v.*${changed}
    from (select 1) o left join json_to_record(${json}) v (${names.join(", ")}) on true) ${alias} on true`);
  return alias;
}

/** SQL of whether an entry changed a value. */
export const changed = (row: SqlRow, name: string): string => `'${name}' = any(${side(row, "before")}.changed)`;

/** SQL of a value before a change that is about it. */
export const from = (row: SqlRow, name: string): string => `${side(row, "before")}."${name}"`;

/** SQL of a value since a change that is about it. */
export const to = (row: SqlRow, name: string): string =>
  `case when ${changed(row, name)} then ${side(row, "since")}."${name}" end`;

/** SQL of the ids of labels that were there on one side of a change alone; null when labels did not change. */
export function labelsOnly(row: SqlRow, there: Side, notThere: Side): string {
  const ids = (which: Side) => `select json_array_elements_text(${side(row, which)}."labelIds")`;
  return `case when ${changed(row, "labelIds")} then array(${ids(there)} except ${ids(notThere)} order by 1) end`;
}

/** SQL of whether an entry moved the issue to the trash or took it out; null when neither. */
export const trashed = (row: SqlRow): string => `case when ${column(row, "event")} = 'issue.deleted' then true
  when ${column(row, "event")} = 'issue.unarchived' and ${changed(row, "trashed")} then false end`;
