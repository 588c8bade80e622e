import { newId } from "../../../id.ts";
import { createRow } from "../../../write/change.ts";
import { findRowOrThrow } from "../../../write/find.ts";
import type { LoadedRow } from "../../../write/rows.ts";
import type { WriteContext } from "../../../write/write.ts";
import { changeIssue } from "../../issue/change.ts";
import { stateEntryColumns } from "../../issue/state.ts";
import { eventLink } from "./text.ts";

/** A completed issue whose failure occurred again. */
interface Recurring {
  issueId: string;
  session: string;
  event: string;
  at: string;
}

/** Maximum number of issues that a transaction reopens. */
const MOST = 50;

/**
 * Raw SQL: joins recorded rows with rows of the tracker. Reopens completed issues whose failure occurred again after
 * the completion, and adds a comment with a link to the event. Canceled, archived and trashed issues stay unchanged.
 */
export async function reopenRecurringFailureIssues(write: WriteContext): Promise<string[]> {
  const found = await write.trx.query<Recurring>({
    name: "recurring-failures",
    text: `select f."issueId", g.session_id as session, g.event_id as event, to_json(g.last_at) #>> '{}' as at
      from "failureIssue" f
      join recorded_failure_group g on g.organization_id = f."organizationId" and g.group_id = f."groupId"
      join issue i on i."organizationId" = f."organizationId" and i.id = f."issueId"
      where f."organizationId" = $1 and i."stateType" = 'completed' and i."archivedAt" is null and i.trashed is not true
        and g.failures > 0 and g.last_at > i."completedAt" order by g.last_at desc limit ${MOST}`,
    values: [write.scope.organizationId],
    reads: ["failureIssue", "recorded_failure_group", "issue"],
    writes: [],
  });
  const opened = new Set<string>();
  for (const each of found) {
    if (opened.has(each.issueId)) continue;
    opened.add(each.issueId);
    await reopenIssue(write, await findRowOrThrow(write, "Issue", each.issueId), seenAgain(each));
  }
  return [...opened];
}

const seenAgain = ({ session, event, at }: Recurring): string =>
  `It happened again after this was completed: ${eventLink(session, event)}, at ${new Date(at).toISOString()}.`;

/** Moves a closed issue back to the team's default state, with a comment by the system or the caller. */
export async function reopenIssue(write: WriteContext, issue: LoadedRow<"Issue">, why: string): Promise<void> {
  const team = await findRowOrThrow(write, "Team", issue.teamId);
  changeIssue(write, issue, stateEntryColumns(write, team.defaultIssueState, issue));
  const userId = write.scope.system ? null : write.scope.userId;
  createRow(write, "Comment", { id: newId(), body: why, issueId: issue.id, userId });
  const values = [write.scope.organizationId, issue.id, write.at];
  write.followUps.push({ text: REOPENED, values, reads: [], writes: ["failureIssue"] });
}

const REOPENED = `update "failureIssue" set "reopenedAt" = $3 where "organizationId" = $1 and "issueId" = $2`;
