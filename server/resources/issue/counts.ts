import { EVERY_ID } from "../../id.ts";
import type { SqlRow } from "../../read/entity.ts";
import { column, organization, tableOf } from "../../read/row.ts";
import { trashedTeams } from "../fields.ts";

type By = "teamId" | "projectId" | "cycleId" | "creatorId";
const KINDS = { teamId: "team", projectId: "project", cycleId: "cycle", creatorId: "creator" };

/** SQL of how many issues a row has, those in the archive and the trash too. */
export const issueCount = (row: SqlRow, by: By): string =>
  counted(row, `coalesce((select sum(k.issues) ${kept(row, by)}), 0)`, `(select count(*) ${issues(row, by)})`);

/** SQL of the share of a parent's issues that are completed; canceled ones do not count. */
export const progress = (row: SqlRow, by: By): string =>
  counted(
    row,
    `coalesce((select ${share("sum(k.completed)", "sum(k.shown)")} ${kept(row, by)}
      and k."teamId" <> all(${trashedTeams(row)})), 0)`,
    // Its conditions are those of the index that holds all it needs.
    `(select coalesce(${share(`(count(*) filter (where i."stateType" = 'completed'))`, "count(*)")}, 0) ${issues(row, by)}
      and i."archivedAt" is null and i.trashed is not true and i."teamId" <> all(${trashedTeams(row)})
      and i."stateType" not in ('canceled', 'duplicate'))`,
  );

const share = (part: string, all: string): string => `round(${part}::numeric / nullif(${all}, 0), 4)`;

/** SQL of a value from the counts that are kept; from the issues themselves until all of the organization's are counted. */
const counted = (row: SqlRow, fromCounts: string, fromIssues: string): string =>
  `(case when (select d."upTo" from "issueCounted" d where d."organizationId" = ${organization(row.build)}) = '${EVERY_ID}'
    then ${fromCounts} else ${fromIssues} end)`;

const kept = (row: SqlRow, by: By): string =>
  `from ${tableOf(row.build, "issueCount")} k where k."organizationId" = ${organization(row.build)} and k.kind = '${KINDS[by]}' and k.id = ${column(row, "id")}`;

const issues = (row: SqlRow, by: By): string =>
  `from issue i where i."organizationId" = ${organization(row.build)} and i."${by}" = ${column(row, "id")}`;
