import type { ToOne } from "../../../read/entity.ts";
import { column, organization } from "../../../read/row.ts";

/** The link from a group of failures to the issue about it. */
export const failureIssue: ToOne = {
  entity: "Issue",
  where: (target, source) => `${column(target, "id")} = (select f."issueId" from "failureIssue" f
    where f."organizationId" = ${organization(target.build)} and f."groupId" = ${source ? column(source, "id") : "null"})`,
};
