import { z } from "zod";
import { inputError, notFound } from "../../../errors.ts";
import { newId } from "../../../id.ts";
import { createRow } from "../../../write/change.ts";
import { findRow } from "../../../write/find.ts";
import type { LoadedRow } from "../../../write/rows.ts";
import type { MutationResult, WriteContext } from "../../../write/write.ts";
import {
  idSchema,
  longTextSchema,
  prioritySchema,
  referenceSchema,
  referencesSchema,
  titleSchema,
} from "../../fields.ts";
import { issueCreate } from "../../issue/create.ts";
import { isOpen } from "../../issue/readiness.ts";
import { failureGroupIdSql, failureTitleSql, normalizedFailureMessageSql, storedFailureMessageSql } from "./message.ts";
import { reopenIssue } from "./reopen.ts";
import { type FailedEvent, failureComment, failureDescription } from "./text.ts";

/** Input of the mutation: a failure, and the fields of the issue that is created if no usable issue exists. */
export const IssueCreateFromFailureInput = z.strictObject({
  failureGroupId: idSchema.nullish(),
  eventId: idSchema.nullish(),
  teamId: referenceSchema,
  title: titleSchema.nullish(),
  description: longTextSchema.nullish(),
  priority: prioritySchema.nullish(),
  assigneeId: referenceSchema.nullish(),
  labelIds: referencesSchema.nullish(),
});
type Input = z.infer<typeof IssueCreateFromFailureInput>;

/** Result of the mutation. `known` means that the issue already contains the event. */
type Status = "created" | "commented" | "reopened" | "known";

/**
 * Creates an issue about a group of equal recorded failures, or adds to the existing issue, because a group has at most
 * one open issue. A completed issue is reopened; a canceled, archived or trashed issue is replaced by a new issue.
 * Other writers of the organization wait during the mutation, so two concurrent calls create only one issue.
 */
export async function issueCreateFromFailure(write: WriteContext, input: Input): Promise<MutationResult> {
  const event = await eventOf(write, input);
  const issue = await issueOf(write, event);
  if (issue && (await isOn(write, issue, event))) return answer(issue.id, "known");
  if (issue && isOpen(issue)) {
    comment(write, issue.id, failureComment(event));
    return answer(issue.id, "commented");
  }
  if (issue?.stateType === "completed" && !issue.archivedAt && !issue.trashed) {
    await reopenIssue(write, issue, failureComment(event));
    return answer(issue.id, "reopened");
  }
  return answer(await file(write, input, event), "created");
}

/** A replay returns the stored status, and does not compute the status again. */
export const onFailureReplay = async (_write: WriteContext, result: MutationResult): Promise<MutationResult> => ({
  ...result,
  values: { status: result.kept },
});

const answer = (issueId: string, status: Status): MutationResult => ({ id: issueId, kept: status, values: { status } });

function comment(write: WriteContext, issueId: string, body: string): void {
  createRow(write, "Comment", { id: newId(), body, issueId, userId: write.scope.userId });
}

async function file(write: WriteContext, input: Input, event: FailedEvent): Promise<string> {
  const { failureGroupId: _group, eventId: _event, title: given, description, ...rest } = input;
  const text = { title: given ?? event.title, description: failureDescription(event, description) };
  const { id: issueId } = await issueCreate(write, { ...rest, ...text, sessionId: event.sessionId });
  const values = [write.scope.organizationId, event.groupId, issueId];
  write.followUps.push({ text: LINK, values, reads: [], writes: ["failureIssue"] });
  return String(issueId);
}

/** Raw SQL, like all statements here: an upsert, and statements that join recordings with computed messages. */
const LINK = `insert into "failureIssue" ("organizationId", "groupId", "issueId") values ($1, $2, $3)
  on conflict ("organizationId", "groupId") do update set "issueId" = excluded."issueId", "reopenedAt" = null`;

/** Returns the requested failure. @throws inputError, notFound */
async function eventOf(write: WriteContext, { failureGroupId, eventId }: Input): Promise<FailedEvent> {
  if (failureGroupId && eventId) throw inputError("give failureGroupId or eventId, not both", "eventId");
  if (!failureGroupId && !eventId) throw inputError("give failureGroupId or eventId", "failureGroupId");
  const [event] = await write.trx.query<FailedEvent>({
    name: failureGroupId ? "failure-of-group" : "failure",
    text: failureGroupId ? OF_GROUP : FAILURE,
    values: [write.scope.organizationId, failureGroupId ?? eventId],
    reads: ["recorded_event", "recorded_session", "recorded_failure_group"],
    writes: [],
  });
  if (event) return { ...event, at: new Date(event.at).toISOString() };
  throw failureGroupId ? notFound("failure group", failureGroupId) : notFound("failed event", String(eventId));
}

/**
 * SQL that reads a failed event. `materialized` makes PostgreSQL compute the message only once, although the message is
 * used three times.
 */
const failure = (
  where: string,
) => `with m as materialized (select e.event_id, ${storedFailureMessageSql("e")} as message from recorded_event e
    where e.organization_id = $1 and e.event_id = ${where} and not e.success)
  select e.event_id as id, e.session_id as "sessionId", e.primitive_name as tool,
    left(e.args, 2001) as args, left(e.result, 4001) as result, to_json(e.timestamp) #>> '{}' as at, s.user_id as "user",
    m.message, ${failureTitleSql("e.primitive_name", "m.message")} as title,
    ${failureGroupIdSql("$1::uuid", "e.primitive_name", normalizedFailureMessageSql("m.message"))} as "groupId"
  from m join recorded_event e on e.organization_id = $1 and e.event_id = m.event_id
  left join recorded_session s on s.organization_id = $1 and s.session_id = e.session_id`;

const FAILURE = failure("$2");
const OF_GROUP = failure(
  "(select g.event_id from recorded_failure_group g where g.organization_id = $1 and g.group_id = $2)",
);

/** Returns the issue about a group of equal failures. */
async function issueOf(write: WriteContext, { groupId }: FailedEvent): Promise<LoadedRow<"Issue"> | undefined> {
  const [linked] = await write.trx.query<{ issueId: string }>({
    name: "issue-of-failure",
    text: `select "issueId" from "failureIssue" where "organizationId" = $1 and "groupId" = $2`,
    values: [write.scope.organizationId, groupId],
    reads: ["failureIssue"],
    writes: [],
  });
  return linked && findRow(write, "Issue", linked.issueId);
}

/** Returns true if the description or a comment of the issue mentions the event. */
async function isOn(write: WriteContext, issue: LoadedRow<"Issue">, { id: eventId }: FailedEvent): Promise<boolean> {
  if (issue.description?.includes(eventId)) return true;
  const [found] = await write.trx.query({
    name: "comment-about-event",
    text: `select 1 from comment where "organizationId" = $1 and "issueId" = $2 and strpos(body, $3) > 0 limit 1`,
    values: [write.scope.organizationId, issue.id, eventId],
    reads: ["comment"],
    writes: [],
  });
  return found !== undefined;
}
