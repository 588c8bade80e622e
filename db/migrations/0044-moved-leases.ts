import type { Migration } from "./index.ts";

/**
 * The end of a lease leaves an issue in the state that was set since the claim. Leases of servers that did not keep it so
 * take the state of an issue that is no longer in its team's first started one, where claims put it.
 */
export const movedLeases: Migration = {
  id: "0044-moved-leases",
  statements: [
    `update "issueLease" l set "stateId" = i."stateId" from issue i, "workflowState" s
      where i."organizationId" = l."organizationId" and i.id = l.id and i."stateId" <> l."stateId"
        and s."organizationId" = i."organizationId" and s.id = i."stateId" and (s.type <> 'started' or exists (
          select from "workflowState" f where f."organizationId" = s."organizationId" and f."teamId" = s."teamId"
            and f.type = 'started' and f."archivedAt" is null and (f.position, f.id) < (s.position, s.id)))`,
  ],
};
