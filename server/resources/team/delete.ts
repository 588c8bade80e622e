import { conflict } from "../../errors.ts";
import { dropLinks, remove, update } from "../../write/change.ts";
import { target, targets } from "../../write/find.ts";
import type { Write } from "../../write/write.ts";

/**
 * Deletes a team that has no issues, with its states, labels and cycles. Its keys stay known, so that identifiers of
 * issues that moved away still resolve until another team takes the key.
 * @throws conflict while it has issues.
 */
export async function teamDelete(write: Write, args: { id: string }) {
  const team = await target(write, "Team", args.id);
  const [issue] = await write.trx.query({
    text: `select 1 from issue where "organizationId" = $1 and "teamId" = $2 limit 1`,
    values: [write.scope.organizationId, team.id],
  });
  if (issue) {
    throw conflict("the team has issues, in the archive or the trash perhaps; move or permanently delete them first");
  }
  for (const project of await targets(write, "Project", await linked(write, "projectTeam", "projectId", team.id))) {
    const before = project.teamIds as string[];
    const after = before.filter((id) => id !== team.id);
    update(write, "Project", project, {}, { also: { teamIds: { before, after } } });
  }
  dropLinks(write, "projectTeam", { teamId: team.id });
  for (const entity of ["IssueLabel", "Cycle", "WorkflowState"]) {
    const table = entity === "IssueLabel" ? "issueLabel" : entity === "Cycle" ? "cycle" : "workflowState";
    for (const row of await targets(write, entity, await linked(write, table, "id", team.id)))
      remove(write, entity, row);
  }
  remove(write, "Team", team);
  return { id: team.id };
}

async function linked(write: Write, table: string, column: string, teamId: string): Promise<string[]> {
  const rows = await write.trx.query<{ id: string }>({
    text: `select "${column}" as id from "${table}" where "organizationId" = $1 and "teamId" = $2 order by 1`,
    values: [write.scope.organizationId, teamId],
  });
  return rows.map(({ id }) => id);
}
