import type { SqlRow } from "../../read/entity.ts";
import { comparisonSql } from "../../read/filter/compare.ts";
import { bindOrganization, columnSql } from "../../read/row.ts";
import type { ArgumentPath } from "../../read/selection.ts";

/**
 * Returns a filter: the issue has a relation of the given type. `ends` names the columns of a relation that may contain
 * the issue.
 */
const related =
  (type: string, ...ends: readonly ("issueId" | "relatedIssueId")[]) =>
  (row: SqlRow, argument: ArgumentPath): string => {
    const found = ends.map(
      (end) => `exists (select from "issueRelation" r where r."organizationId" = ${bindOrganization(row.build)}
        and r."${end}" = ${columnSql(row, "id")} and r.type = '${type}')`,
    );
    return comparisonSql(row.build, { sql: `(${found.join(" or ")})`, type: "boolean" }, argument);
  };

/** Filter: a recorded session is linked to the issue. */
const hasSessions = (row: SqlRow, argument: ArgumentPath): string => {
  const sql = `exists (select from "issueSession" s where s."organizationId" = ${bindOrganization(row.build)}
    and s."issueId" = ${columnSql(row, "id")})`;
  return comparisonSql(row.build, { sql, type: "boolean" }, argument);
};

/** Filters of an issue by relations. */
export const RELATION_FILTERS = {
  hasSessions,
  hasBlockedByRelations: related("blocks", "relatedIssueId"),
  hasBlockingRelations: related("blocks", "issueId"),
  hasDuplicateRelations: related("duplicate", "issueId", "relatedIssueId"),
  hasRelatedRelations: related("related", "issueId", "relatedIssueId"),
};
