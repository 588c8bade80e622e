import { column, joined, organization, type Row } from "../../read/row.ts";
import type { Write } from "../../write/write.ts";
import { archiving, restoring } from "../archive.ts";
import { BASE, base, LONG_TEXT_BYTES, linkedIds, organizationLink, priorityLabel, slug } from "../fields.ts";
import { issuePriorityValues } from "../priority.ts";
import { action, mutation, type Resource } from "../resource.ts";
import { issueBatchCreate, issueBatchUpdate } from "./batch.ts";
import { issueCreate } from "./create.ts";
import { IssueBatchCreateInput, IssueCreateInput, type IssueUpdate, IssueUpdateInput } from "./input.ts";
import { issueDelete } from "./purge.ts";
import { issueUpdate, setLabel } from "./update.ts";

const identifier = (row: Row) => `${column(joined(row, "team"), "key")} || '-' || ${column(row, "number")}`;

export const issue: Resource = {
  entity: {
    name: "Issue",
    table: "issue",
    event: "issue",
    columns: {
      ...BASE,
      teamId: "uuid",
      number: "integer",
      title: "text",
      description: "text",
      priority: "integer",
      estimate: "integer",
      sortOrder: "float",
      stateId: "uuid",
      assigneeId: "uuid",
      creatorId: "uuid",
      parentId: "uuid",
      projectId: "uuid",
      cycleId: "uuid",
      dueDate: "date",
      previousIdentifiers: "text[]",
      startedAt: "timestamp",
      completedAt: "timestamp",
      canceledAt: "timestamp",
      trashed: "boolean",
    },
    long: { description: LONG_TEXT_BYTES },
    computed: {
      identifier: { type: "text", sql: identifier },
      url: {
        type: "text",
        sql: (row) => `${base(row)} || '/issue/' || ${identifier(row)} || '/' || ${slug(column(row, "title"))}`,
      },
      branchName: { type: "text", sql: (row) => `lower(${identifier(row)}) || '-' || ${slug(column(row, "title"))}` },
      priorityLabel: { type: "text", sql: priorityLabel },
      labelIds: { type: "text[]", sql: (row) => linkedIds(row, "issueLabelLink", "issueId", "labelId") },
      searchableContent: {
        type: "text",
        sql: (row) => `(${column(row, "title")} || ' ' || coalesce(${column(row, "description")}, ''))`,
      },
    },
    published: ["identifier", "url", "priorityLabel", "labelIds"],
    loaded: ["identifier", "labelIds"],
    one: {
      organization: organizationLink,
      team: { entity: "Team", by: "teamId" },
      state: { entity: "WorkflowState", by: "stateId" },
      assignee: { entity: "User", by: "assigneeId" },
      creator: { entity: "User", by: "creatorId" },
      parent: { entity: "Issue", by: "parentId" },
      project: { entity: "Project", by: "projectId" },
      cycle: { entity: "Cycle", by: "cycleId" },
    },
    many: {
      children: { entity: "Issue", by: "parentId" },
      comments: { entity: "Comment", by: "issueId" },
      labels: { entity: "IssueLabel", through: { table: "issueLabelLink", from: "issueId", to: "labelId" }, few: true },
    },
    hidden: (row) => `(${column(row, "archivedAt")} is not null or ${column(row, "trashed")} is true)`,
    reference: byIdentifier,
    sorts: {
      manual: (row) => column(row, "sortOrder"),
      workflowState: (row) => column(joined(row, "state"), "position"),
      assignee: (row) => column(joined(row, "assignee"), "displayName"),
      project: (row) => column(joined(row, "project"), "name"),
      cycle: (row) => column(joined(row, "cycle"), "number"),
      team: (row) => column(joined(row, "team"), "name"),
    },
  },
  one: { issue: { entity: "Issue" } },
  many: { issues: { entity: "Issue" } },
  values: { issuePriorityValues },
  mutations: {
    issueCreate: mutation(IssueCreateInput, issueCreate),
    issueUpdate: mutation(IssueUpdateInput, (write: Write, input: IssueUpdate, { id }: { id: string }) =>
      issueUpdate(write, id, input),
    ),
    issueArchive: archiving("Issue"),
    issueUnarchive: restoring("Issue"),
    issueDelete: action(issueDelete),
    issueAddLabel: action((write, args: { id: string; labelId: string }) => setLabel(write, args, true)),
    issueRemoveLabel: action((write, args: { id: string; labelId: string }) => setLabel(write, args, false)),
    issueBatchCreate: mutation(IssueBatchCreateInput, issueBatchCreate),
    issueBatchUpdate: mutation(IssueUpdateInput, issueBatchUpdate),
  },
};

/** Finds an issue by an identifier it has or had, in any case: ENG-12. */
function byIdentifier(row: Row, value: string): string {
  const org = organization(row.build);
  const team = `(select k."teamId" from "teamKey" k where k."organizationId" = ${org} and k.key = upper(split_part(${value}, '-', 1)))`;
  const number = `(case when ${value} ~ '^[A-Za-z][A-Za-z0-9]{0,6}-[0-9]{1,9}$' then split_part(${value}, '-', 2)::integer end)`;
  const alias = `(select a."issueId" from "issueAlias" a where a."organizationId" = ${org} and a."teamId" = ${team} and a.number = ${number})`;
  return `((${column(row, "teamId")} = ${team} and ${column(row, "number")} = ${number}) or ${column(row, "id")} = ${alias})`;
}
