import { getOwnProperty } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import { conditionsSql } from "../../read/connection/connection.ts";
import { nullable, type StatementBuild } from "../../read/entity.ts";
import { jsonToTextSql } from "../../read/json.ts";
import { rowJson } from "../../read/plan.ts";
import {
  bindOrganization,
  columnSql,
  findEntity,
  getArgumentShape,
  isReadableByCallerSql,
  jsonListRowsSql,
  newRow,
  readTableSql,
} from "../../read/row.ts";
import type { Selection } from "../../read/selection.ts";
import type { ArgumentShape } from "../../read/shape.ts";
import { PRIORITIES } from "../fields.ts";
import { labelSetRowsSql } from "../label/label-set.ts";
import type { Resource } from "../resource.ts";

/** Maximum number of counted issues. A count reads each issue's row. */
const MOST_COUNTED = 100_000;
const MOST_GROUPS = 100;
/** Maximum value of `stopAt`. */
const LARGEST_STOP = 1_000;
/**
 * Cost of `issueGroups` in comparisons of a long text: `stopped` with `stopAt`, `rows` otherwise, and `links` for
 * values in a link table. A link table has many more rows.
 */
const SCANS = { stopped: 0.2, rows: 2, links: 5 };

/** A value by which issues are grouped. The key of a group is the id of the linked row, unless declared otherwise. */
interface Grouping {
  /**
   * Column of the issue that contains the value or a set of values. If the values are in a link table, the column is
   * `id`.
   */
  by: string;
  /**
   * Returns SQL that splits a set of values into rows with an `id` each. Declared for values of which an issue may have
   * several or none.
   */
  each?(set: string): string;
  /**
   * Table of the linked rows. `name` is SQL for the name of a row `x`. `project` is SQL for the row's project, which
   * distinguishes rows with equal names.
   */
  names?: { table: string; name: string; project?: string };
  /** The key is the name, so that rows of different teams with equal names form a single group. */
  merged?: true;
  /** Link table, for values of which an issue may have several. */
  through?: { table: string; from: string; to: string };
}

const person = { table: "user", name: "x.name" };

/** Groupings, by their names in `IssueGroupBy`. */
const GROUPINGS: Readonly<Record<string, Grouping>> = {
  state: { by: "stateId", names: { table: "workflowState", name: "x.name" }, merged: true },
  assignee: { by: "assigneeId", names: person },
  delegate: { by: "delegateId", names: person },
  holder: { by: "id", names: person, through: { table: "issueLease", from: "id", to: "holderId" } },
  creator: { by: "creatorId", names: person },
  label: { by: "labelSet", each: labelSetRowsSql, names: { table: "issueLabel", name: "x.name" }, merged: true },
  project: { by: "projectId", names: { table: "project", name: "x.name" } },
  projectMilestone: {
    by: "projectMilestoneId",
    names: { table: "projectMilestone", name: "x.name", project: `x."projectId"` },
  },
  priority: { by: "priority" },
  team: { by: "teamId", names: { table: "team", name: "x.key" }, merged: true },
  cycle: { by: "cycleId", names: { table: "cycle", name: "coalesce(x.name, x.number::text)" } },
};

/** Root field `issueGroups`: the number of issues that match a filter, in total and by a value. */
export const issueGroupsResource: Resource = {
  entity: {
    name: "IssueGroups",
    table: "",
    columns: { count: "integer", groupCount: "integer" },
    many: {
      groups: {
        entity: "IssueGroup",
        most: MOST_GROUPS,
        rows: jsonListRowsSql("groups", `key text, name text, "projectId" uuid, count integer`),
      },
    },
  },
  values: {
    issueGroups: {
      literal: "stopAt",
      scans: ({ groupBy, stopAt }) =>
        stopAt ? SCANS.stopped : getOwnProperty(GROUPINGS, String(groupBy))?.through ? SCANS.links : SCANS.rows,
      sql: (build, selection) => {
        const row = newRow(build, findEntity(build, "IssueGroups"));
        return `(select ${jsonToTextSql(rowJson(row, selection.children))} from (${groupsSql(build, selection)}) ${row.alias})`;
      },
      refusal: async () =>
        inputError(
          `more than ${MOST_COUNTED} issues pass, too many to count; ask for fewer, for instance by team, project, cycle, assignee, state or time of creation`,
          "filter",
        ),
    },
  },
};

/** Issues with the same value. */
export const issueGroupResource: Resource = {
  entity: {
    name: "IssueGroup",
    table: "",
    columns: { key: nullable("text"), name: nullable("text"), count: "integer", position: "integer" },
    internal: { projectId: "uuid" },
    one: {
      project: {
        entity: "Project",
        where: (target, row) => (row ? `${columnSql(target, "id")} = ${columnSql(row, "projectId")}` : "false"),
      },
    },
  },
};

/**
 * Raw SQL: a fragment for the read planner. Returns no row if too many issues match. Issues are counted while they are
 * read, by value or by set of values. Only for values in a link table are all issues read before counting.
 */
function groupsSql(build: StatementBuild, selection: Selection): string {
  const shape = getArgumentShape(build, selection);
  const grouping = getOwnProperty(GROUPINGS, String(shape.groupBy));
  const stop = stopOf(shape);
  const row = newRow(build, findEntity(build, "Issue"));
  const conditions = [isReadableByCallerSql(row), ...conditionsSql(row, selection.argumentIndex, shape)].join(" and ");
  const value = grouping ? columnSql(row, grouping.by) : "null";
  const matched = `select ${value} as value from "${row.entity.table}" ${row.alias}${row.frame.joins.join("")}
    where ${conditions} limit ${stop ?? MOST_COUNTED + 1}`;
  const { before, counted, total } = countedSql(build, grouping, matched);
  return `with ${before}counted as materialized (${counted}),
      named as (${grouping ? namedSql(build, grouping) : `select null::text as key, null::text as name, ${NO_PROJECT}, 0 as count where false`}),
      ranked as (select *, row_number() over (order by count desc, name, key) as position from named)
    select t.count, (select count(*) from named)::integer as "groupCount",
      coalesce((select jsonb_agg(to_jsonb(r)) from ranked r where position <= ${MOST_GROUPS}), '[]') as groups
    from (${total}) t where t.count <= ${MOST_COUNTED}`;
}

/** SQL that counts the matched issues by value. */
function countedSql(build: StatementBuild, { through, each }: Partial<Grouping> = {}, matched: string) {
  if (through) return linkedSql(build, through, matched);
  const grouped = `select value, count(*) as count from (${matched}) m group by 1`;
  const total = (from: string) => `select coalesce(sum(count), 0)::integer as count from ${from}`;
  if (!each) return { before: "", counted: grouped, total: total("counted") };
  return {
    before: `sets as materialized (${grouped}), `,
    counted: `select e.id as value, sum(s.count) as count from sets s left join lateral (${each("s.value")}) e on true group by 1`,
    total: total("sets"),
  };
}

/**
 * Returns the number of issues at which the count stops. @throws inputError if the number is out of range, or given
 * together with `groupBy`
 */
function stopOf({ stopAt, groupBy }: ArgumentShape): number | undefined {
  if (typeof stopAt !== "number") return undefined;
  if (stopAt < 1 || stopAt > LARGEST_STOP) throw inputError(`stopAt must be from 1 to ${LARGEST_STOP}`, "stopAt");
  if (groupBy) throw inputError("stopAt and groupBy cannot be combined; remove stopAt or groupBy", "stopAt");
  return stopAt;
}

/** SQL that counts the matched issues by the values of a link table. */
const linkedSql = (build: StatementBuild, { table, from, to }: NonNullable<Grouping["through"]>, matched: string) => ({
  before: `matched as materialized (${matched}), `,
  counted: `select k."${to}" as value, count(*) as count from matched m left join ${readTableSql(build, table)} k
    on k."organizationId" = ${bindOrganization(build)} and k."${from}" = m.value group by 1`,
  total: "select count(*) from matched",
});

const NO_PROJECT = `null::uuid as "projectId"`;

/** SQL for the groups with their names. Names are looked up after counting, so that only a few rows need names. */
function namedSql(build: StatementBuild, { names, merged }: Grouping): string {
  if (!names) {
    return `select c.value::text as key, (array['${PRIORITIES.join("', '")}'])[c.value + 1] as name, ${NO_PROJECT}, c.count
      from counted c`;
  }
  const project = names.project ? `${names.project} as "projectId"` : NO_PROJECT;
  return `select ${merged ? names.name : "c.value::text"} as key, ${names.name} as name, ${project}, sum(c.count)::integer as count
    from counted c left join ${readTableSql(build, names.table)} x on x."organizationId" = ${bindOrganization(build)} and x.id = c.value
    group by 1, 2, 3`;
}
