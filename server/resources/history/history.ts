import type { Entity, SqlRow } from "../../read/entity.ts";
import { column } from "../../read/row.ts";
import type { Resource } from "../resource.ts";
import { relationChanges } from "./entries.ts";
import { changed, from, labelsOnly, to, trashed } from "./values.ts";

/** Labels of one change that are shown whole; their ids all are. A page of entries is priced as if each had so many. */
const LABELS = 10;
const BOTH = {
  State: "WorkflowState",
  Assignee: "User",
  Team: "Team",
  Project: "Project",
  Cycle: "Cycle",
  Parent: "Issue",
};
/** The ids of a delegate and a milestone are not shown beside them. */
const LINKED = { ...BOTH, Delegate: "User", ProjectMilestone: "ProjectMilestone" };
const PLAIN = { Title: "text", Priority: "integer", Estimate: "integer", DueDate: "date", Identifier: "text" } as const;
const uuid = (sql: (row: SqlRow) => string) => ({ type: "uuid" as const, sql });

/** A link to the row whose id a value of the change is. */
const link = (entity: string, id: (row: SqlRow) => string) => ({
  entity,
  where: (target: SqlRow, row: SqlRow | null) => (row ? `${column(target, "id")} = ${id(row)}` : "false"),
});

const stem = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** An entry for the value before a change and one for the value since. */
const fromAndTo = <Value>(
  names: readonly string[],
  make: (name: string, value: typeof from) => readonly [string, Value],
) =>
  Object.fromEntries(
    names.flatMap((name) =>
      (
        [
          ["from", from],
          ["to", to],
        ] as const
      ).map(([side, value]) => {
        const [suffix, made] = make(name, value);
        return [`${side}${suffix}`, made] as const;
      }),
    ),
  );

const actorId = (row: SqlRow) => `(${column(row, "actor")} ->> 'id')::uuid`;

/** The history of an issue, read from the change log: it keeps each change with the values before it. */
export const issueHistory: Resource = {
  entity: {
    name: "IssueHistory",
    table: "",
    columns: { id: "uuid", createdAt: "timestamp", updatedAt: "timestamp", event: "text" },
    computed: {
      actorId: uuid(actorId),
      ...fromAndTo(Object.keys(PLAIN), (name, value) => [
        name,
        { type: PLAIN[name as keyof typeof PLAIN], sql: (row: SqlRow) => value(row, stem(name)) },
      ]),
      ...fromAndTo(Object.keys(BOTH), (name, value) => [`${name}Id`, uuid((row) => value(row, `${stem(name)}Id`))]),
      updatedDescription: { type: "boolean", sql: (row) => `nullif(${changed(row, "description")}, false)` },
      addedLabelIds: { type: "text[]", sql: (row) => labelsOnly(row, "since", "before") },
      removedLabelIds: { type: "text[]", sql: (row) => labelsOnly(row, "before", "since") },
      archived: {
        type: "boolean",
        sql: (row) => `case when ${trashed(row)} is null and ${changed(row, "archivedAt")}
          then ${column(row, "event")} <> 'issue.unarchived' end`,
      },
      trashed: { type: "boolean", sql: trashed },
    },
    one: {
      issue: link("Issue", (row) => column(row, "issueId")),
      actor: link("User", actorId),
      onBehalfOf: link("User", (row) => `(${column(row, "actor")} -> 'onBehalfOf' ->> 'id')::uuid`),
      ...fromAndTo(Object.keys(LINKED), (name, value) => [
        name,
        link(LINKED[name as keyof typeof LINKED], (row) => value(row, `${stem(name)}Id`)),
      ]),
    },
    many: {
      addedLabels: { entity: "IssueLabel", where: isIn((row) => labelsOnly(row, "since", "before")), most: LABELS },
      removedLabels: {
        entity: "IssueLabel",
        where: isIn((row) => labelsOnly(row, "before", "since")),
        most: LABELS,
      },
      relationChanges: { entity: "IssueRelationHistoryPayload", rows: relationChanges, most: 2 },
    },
  },
};

/** A relation that came or went. */
export const issueRelationHistory: { entity: Entity } = {
  entity: {
    name: "IssueRelationHistoryPayload",
    table: "",
    columns: { identifier: "text", type: "text", position: "integer" },
  },
};

function isIn(ids: (row: SqlRow) => string) {
  return (target: SqlRow, row: SqlRow | null) =>
    row ? `${column(target, "id")}::text = any((${ids(row)})[1:${LABELS}])` : "false";
}
