import { nullable, type SqlRow } from "../../read/entity.ts";
import { column, joinLink, organization } from "../../read/row.ts";
import type { ColumnValues } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { archiveMutation, restoreMutation } from "../archive.ts";
import {
  BASE_COLUMNS,
  externalIds,
  hiddenWithTeam,
  issuePriorityValues,
  LONG_TEXT_BYTES,
  linkedIds,
  organizationLink,
  pageUrl,
  priorityLabel,
  slug,
} from "../fields.ts";
import { historyEntriesSql, lastEditSql } from "../history/entries.ts";
import { issueBatchImport } from "../import/import.ts";
import { LABELS } from "../label/label-set.ts";
import { CONCURRENT_CHANGES, concurrentChanges } from "../lease/concurrent.ts";
import { checkingHolder } from "../lease/fence.ts";
import { issueCommitsSql } from "../recorded/files/commit.ts";
import { issueFilesSql } from "../recorded/files/file.ts";
import { RELATION_FILTERS } from "../relation/filters.ts";
import { type Arguments, action, mutation, type Resource } from "../resource.ts";
import { textDerivation } from "../texts.ts";
import { issueBatchCreate, issueBatchUpdate } from "./batch.ts";
import { changeIssue, issueDelete } from "./change.ts";
import { countsOfIssues } from "./counts.ts";
import { issueCreate } from "./create.ts";
import { byIdentifier } from "./identifier.ts";
import {
  IssueBatchCreateInput,
  IssueBatchUpdateInput,
  IssueCreateInput,
  type IssueUpdate,
  IssueUpdateInput,
  MAX_LABELS,
} from "./input.ts";
import { READY_ORDER, readyFilterSql, readySql } from "./readiness.ts";
import { issueUpdate, type Labelling, setLabel } from "./update.ts";

const identifier = (row: SqlRow) => `${column(joinLink(row, "team"), "key")} || '-' || ${column(row, "number")}`;

const columns = {
  ...BASE_COLUMNS,
  teamId: "uuid",
  number: "integer",
  title: "text",
  description: nullable("text"),
  priority: "integer",
  estimate: nullable("integer"),
  sortOrder: "float",
  stateId: "uuid",
  assigneeId: nullable("uuid"),
  delegateId: nullable("uuid"),
  creatorId: nullable("uuid"),
  externalUserCreatorId: nullable("uuid"),
  externalUserAssigneeId: nullable("uuid"),
  parentId: nullable("uuid"),
  projectId: nullable("uuid"),
  projectMilestoneId: nullable("uuid"),
  cycleId: nullable("uuid"),
  dueDate: nullable("date"),
  previousIdentifiers: "text[]",
  startedAt: nullable("timestamp"),
  completedAt: nullable("timestamp"),
  canceledAt: nullable("timestamp"),
  trashed: nullable("boolean"),
} as const;
const internal = {
  stateType: "text",
  openBlockers: "integer",
  unblocks: "integer",
  leased: "boolean",
  fence: "integer",
  labelSet: "text",
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    Issue: {
      stored: ColumnValues<typeof columns & typeof internal>;
      loaded: { identifier: string; labelIds: string[]; holderId: string | null; trippedBy: string | null };
    };
  }
}

/** A new state may complete the issue, and recorded events decide whether the completion is proven. */
const readsOfState = ({ input }: Arguments) =>
  (input as { stateId?: unknown } | undefined)?.stateId ? ["recorded_event"] : [];

export const issue: Resource = {
  entity: {
    name: "Issue",
    table: "issue",
    exact: ["identifier", "stateType"],
    event: "issue",
    columns,
    internal,
    tuning: {
      most: (build) =>
        `(select coalesce(sum(t."issueCounter"), 0) from team t where t."organizationId" = ${organization(build)})`,
      required: ["priority", "title"],
      updatedLast: true,
      derives: [textDerivation("issue", ["title", "description", "searchableContent"]), countsOfIssues],
      long: { description: LONG_TEXT_BYTES },
      scanned: { searchableContent: 1 },
      separate: { parts: { issueLabelLink: "issueId" }, logged: true },
    },
    computed: {
      identifier: { type: "text", published: true, loaded: true, sql: identifier },
      url: pageUrl((row) => `'/issue/' || ${identifier(row)} || '/' || ${slug(column(row, "title"))}`),
      branchName: { type: "text", sql: (row) => `lower(${identifier(row)}) || '-' || ${slug(column(row, "title"))}` },
      priorityLabel: { type: "text", published: true, sql: priorityLabel },
      labelIds: {
        type: "text[]",
        published: true,
        loaded: true,
        sql: (row) => linkedIds(row, "issueLabelLink", "issueId", "labelId"),
      },
      externalIds: { type: "text[]", sql: externalIds },
      ready: { type: "boolean", sql: readySql },
      blocked: { type: "boolean", sql: (row) => `(${column(row, "openBlockers")} > 0)` },
      holderId: {
        type: "uuid",
        published: true,
        loaded: true,
        sql: (row) => `(select l."holderId" from "issueLease" l
          where l."organizationId" = ${organization(row.build)} and l.id = ${column(row, "id")})`,
      },
      trippedBy: {
        type: "text",
        published: true,
        loaded: true,
        sql: (row) => `(select l."trippedBy" from "issueLease" l
          where l."organizationId" = ${organization(row.build)} and l.id = ${column(row, "id")})`,
      },
      handover: {
        type: "text",
        sql: (row) => `(select h.text from "issueHandover" h
          where h."organizationId" = ${organization(row.build)} and h.id = ${column(row, "id")})`,
      },
      searchableContent: {
        type: "text",
        sql: (row) => `(${column(row, "title")} || ' ' || coalesce(${column(row, "description")}, ''))`,
      },
    },
    one: {
      organization: organizationLink,
      team: {
        entity: "Team",
        by: "teamId",
        onDelete: "cascade-silently",
      },
      state: {
        entity: "WorkflowState",
        by: "stateId",
        onDelete: { refuse: "issues are in this state, in the archive or the trash perhaps; move them first" },
      },
      assignee: { entity: "User", by: "assigneeId", onDelete: "detach" },
      delegate: { entity: "User", by: "delegateId", onDelete: "detach" },
      creator: { entity: "User", by: "creatorId", onDelete: "detach" },
      externalUserCreator: { entity: "ExternalUser", by: "externalUserCreatorId", onDelete: "detach" },
      externalUserAssignee: { entity: "ExternalUser", by: "externalUserAssigneeId", onDelete: "detach" },
      parent: { entity: "Issue", by: "parentId", onDelete: "detach" },
      project: { entity: "Project", by: "projectId", onDelete: "detach" },
      projectMilestone: { entity: "ProjectMilestone", by: "projectMilestoneId", onDelete: "detach" },
      cycle: { entity: "Cycle", by: "cycleId", onDelete: "detach" },
      proof: {
        entity: "IssueProof",
        where: (proof, row) =>
          `${column(proof, "id")} = ${row && column(row, "id")}${
            row ? ` and ${column(row, "stateType")} = 'completed'` : ""
          }`,
      },
      lastEdit: { entity: "IssueHistory", rows: lastEditSql },
      lease: { entity: "IssueLease", where: (lease, row) => `${column(lease, "id")} = ${row && column(row, "id")}` },
    },
    many: {
      relations: { entity: "IssueRelation", by: "issueId" },
      inverseRelations: { entity: "IssueRelation", by: "relatedIssueId" },
      children: { entity: "Issue", by: "parentId" },
      comments: { entity: "Comment", by: "issueId" },
      labels: { entity: "IssueLabel", through: LABELS, preload: true, most: MAX_LABELS },
      history: { entity: "IssueHistory", rows: historyEntriesSql },
      sessions: {
        entity: "RecordedSession",
        through: { table: "issueSession", from: "issueId", to: "sessionId" },
      },
      files: { entity: "RecordedFile", rows: issueFilesSql },
      commits: { entity: "RecordedCommit", rows: issueCommitsSql },
      concurrentChanges: { entity: "ConcurrentChange", rows: concurrentChanges, most: CONCURRENT_CHANGES },
      sessionLinks: { entity: "IssueSession", by: "issueId" },
    },
    // Previous identifiers, external ids, awaited sessions, failure groups, search texts, handovers and notices.
    dependentTables: {
      issueAlias: "issueId",
      externalId: "entityId",
      awaitedSession: "issueId",
      failureIssue: "issueId",
      issueText: "id",
      issueHandover: "id",
      inboxNotice: "issueId",
    },
    hidden: (row) => `(${hiddenWithTeam(row)} or ${column(row, "trashed")} is true)`,
    reference: byIdentifier,
    filters: { ready: readyFilterSql, ...RELATION_FILTERS },
    sorts: {
      ready: READY_ORDER,
      manual: { type: "float", required: true, sql: (row) => column(row, "sortOrder") },
      workflowState: {
        type: "float",
        required: true,
        by: "state",
        sql: (row) => column(joinLink(row, "state"), "position"),
      },
      assignee: { type: "text", sql: (row) => column(joinLink(row, "assignee"), "displayName") },
      delegate: { type: "text", sql: (row) => column(joinLink(row, "delegate"), "displayName") },
      project: { type: "text", sql: (row) => column(joinLink(row, "project"), "name") },
      cycle: { type: "float", sql: (row) => column(joinLink(row, "cycle"), "number") },
      team: { type: "text", sql: (row) => column(joinLink(row, "team"), "name") },
    },
  },
  one: { issue: { entity: "Issue" } },
  many: { issues: { entity: "Issue" } },
  values: { issuePriorityValues },
  mutations: {
    issueCreate: mutation("member", IssueCreateInput, issueCreate),
    issueUpdate: {
      ...mutation("member", IssueUpdateInput, (write: Write, input: IssueUpdate, { id }: { id: string }) =>
        issueUpdate(write, id, input),
      ),
      reads: readsOfState,
    },
    issueArchive: checkingHolder(archiveMutation("Issue", changeIssue)),
    issueUnarchive: checkingHolder(restoreMutation("Issue", changeIssue)),
    issueDelete: checkingHolder(
      action(({ permanentlyDelete }) => (permanentlyDelete ? "owner" : "member"), issueDelete),
    ),
    issueAddLabel: checkingHolder(action("member", (write, args: Labelling) => setLabel(write, args, true))),
    issueRemoveLabel: checkingHolder(action("member", (write, args: Labelling) => setLabel(write, args, false))),
    issueBatchCreate: mutation("member", IssueBatchCreateInput, issueBatchCreate),
    issueBatchUpdate: { ...mutation("member", IssueBatchUpdateInput, issueBatchUpdate), reads: readsOfState },
    issueBatchImport,
  },
};
