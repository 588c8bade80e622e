import type { SqlRow } from "../../read/entity.ts";
import { bindOrganization, columnSql, joinLink } from "../../read/row.ts";
import type { WriteContext } from "../../write/write.ts";
import { archiveMutation, restoreMutation } from "../archive.ts";
import {
  externalIdsSql,
  isHiddenWithTeamSql,
  issuePriorityValues,
  linkedIdsSql,
  MAX_LONG_TEXT_BYTES,
  organizationLink,
  pageUrl,
  priorityLabelSql,
  slugSql,
} from "../fields.ts";
import { historyEntriesSql, lastEditSql } from "../history/entries.ts";
import { issueBatchImport } from "../import/import.ts";
import { ISSUE_LABEL_LINK_TABLE } from "../label/label-set.ts";
import { concurrentChangesSql, MAX_CONCURRENT_CHANGES } from "../lease/concurrent.ts";
import { withHolderCheck } from "../lease/fence.ts";
import { issueCommitsSql } from "../recorded/files/commit.ts";
import { issueFilesSql } from "../recorded/files/file.ts";
import { RELATION_FILTERS } from "../relation/filters.ts";
import { type CoercedArguments, defineIdMutation, defineInputMutation, type Resource } from "../resource.ts";
import { createSearchTextDerivation } from "../texts.ts";
import { issueBatchCreate, issueBatchUpdate } from "./batch.ts";
import { changeIssue, issueDelete } from "./change.ts";
import { columns, internal } from "./columns.ts";
import { countsOfIssues } from "./counts.ts";
import { issueCreate } from "./create.ts";
import { matchesIdentifierSql } from "./identifier.ts";
import {
  IssueBatchCreateInput,
  IssueBatchUpdateInput,
  IssueCreateInput,
  type IssueUpdate,
  IssueUpdateInput,
  MAX_LABELS,
} from "./input.ts";
import { READY_ORDER, readyFilterSql, readySql } from "./readiness.ts";
import { issueUpdate, type LabelChange, setLabel } from "./update.ts";

const identifier = (row: SqlRow) => `${columnSql(joinLink(row, "team"), "key")} || '-' || ${columnSql(row, "number")}`;

/** A new state may complete the issue, and recorded events decide whether the completion is proven. */
const readsOfState = ({ input }: CoercedArguments) =>
  (input as { stateId?: unknown } | undefined)?.stateId ? ["recorded_event"] : [];

export const issueResource: Resource = {
  entity: {
    name: "Issue",
    table: "issue",
    exact: ["identifier", "stateType"],
    event: "issue",
    columns,
    internal,
    tuning: {
      most: (build) =>
        `(select coalesce(sum(t."issueCounter"), 0) from team t where t."organizationId" = ${bindOrganization(build)})`,
      required: ["priority", "title"],
      updatedLast: true,
      derives: [createSearchTextDerivation("issue", ["title", "description", "searchableContent"]), countsOfIssues],
      long: { description: MAX_LONG_TEXT_BYTES },
      scanned: { searchableContent: 1 },
      separate: { parts: { issueLabelLink: "issueId" }, logged: true },
    },
    computed: {
      identifier: { type: "text", published: true, loaded: true, sql: identifier },
      url: pageUrl((row) => `'/issue/' || ${identifier(row)} || '/' || ${slugSql(columnSql(row, "title"))}`),
      branchName: {
        type: "text",
        sql: (row) => `lower(${identifier(row)}) || '-' || ${slugSql(columnSql(row, "title"))}`,
      },
      priorityLabel: { type: "text", published: true, sql: priorityLabelSql },
      labelIds: {
        type: "text[]",
        published: true,
        loaded: true,
        sql: (row) => linkedIdsSql(row, "issueLabelLink", "issueId", "labelId"),
      },
      externalIds: { type: "text[]", sql: externalIdsSql },
      ready: { type: "boolean", sql: readySql },
      blocked: { type: "boolean", sql: (row) => `(${columnSql(row, "openBlockers")} > 0)` },
      holderId: {
        type: "uuid",
        published: true,
        loaded: true,
        sql: (row) => `(select l."holderId" from "issueLease" l
          where l."organizationId" = ${bindOrganization(row.build)} and l.id = ${columnSql(row, "id")})`,
      },
      trippedBy: {
        type: "text",
        published: true,
        loaded: true,
        sql: (row) => `(select l."trippedBy" from "issueLease" l
          where l."organizationId" = ${bindOrganization(row.build)} and l.id = ${columnSql(row, "id")})`,
      },
      handover: {
        type: "text",
        sql: (row) => `(select h.text from "issueHandover" h
          where h."organizationId" = ${bindOrganization(row.build)} and h.id = ${columnSql(row, "id")})`,
      },
      searchableContent: {
        type: "text",
        sql: (row) => `(${columnSql(row, "title")} || ' ' || coalesce(${columnSql(row, "description")}, ''))`,
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
          `${columnSql(proof, "id")} = ${row && columnSql(row, "id")}${
            row ? ` and ${columnSql(row, "stateType")} = 'completed'` : ""
          }`,
      },
      lastEdit: { entity: "IssueHistory", rows: lastEditSql },
      lease: {
        entity: "IssueLease",
        where: (lease, row) => `${columnSql(lease, "id")} = ${row && columnSql(row, "id")}`,
      },
    },
    many: {
      relations: { entity: "IssueRelation", by: "issueId" },
      inverseRelations: { entity: "IssueRelation", by: "relatedIssueId" },
      children: { entity: "Issue", by: "parentId" },
      comments: { entity: "Comment", by: "issueId" },
      labels: { entity: "IssueLabel", through: ISSUE_LABEL_LINK_TABLE, preload: true, most: MAX_LABELS },
      history: { entity: "IssueHistory", rows: historyEntriesSql },
      sessions: {
        entity: "RecordedSession",
        through: { table: "issueSession", from: "issueId", to: "sessionId" },
      },
      files: { entity: "RecordedFile", rows: issueFilesSql },
      commits: { entity: "RecordedCommit", rows: issueCommitsSql },
      concurrentChanges: { entity: "ConcurrentChange", rows: concurrentChangesSql, most: MAX_CONCURRENT_CHANGES },
      sessionLinks: { entity: "IssueSession", by: "issueId" },
    },
    // Tables without an entity whose rows belong to an issue: previous identifiers, external ids, awaited sessions,
    // failure groups, search texts, handovers and notices.
    dependentTables: {
      issueAlias: "issueId",
      externalId: "entityId",
      awaitedSession: "issueId",
      failureIssue: "issueId",
      issueText: "id",
      issueHandover: "id",
      inboxNotice: "issueId",
    },
    hidden: (row) => `(${isHiddenWithTeamSql(row)} or ${columnSql(row, "trashed")} is true)`,
    reference: matchesIdentifierSql,
    filters: { ready: readyFilterSql, ...RELATION_FILTERS },
    sorts: {
      ready: READY_ORDER,
      manual: { type: "float", required: true, sql: (row) => columnSql(row, "sortOrder") },
      workflowState: {
        type: "float",
        required: true,
        by: "state",
        sql: (row) => columnSql(joinLink(row, "state"), "position"),
      },
      assignee: { type: "text", sql: (row) => columnSql(joinLink(row, "assignee"), "displayName") },
      delegate: { type: "text", sql: (row) => columnSql(joinLink(row, "delegate"), "displayName") },
      project: { type: "text", sql: (row) => columnSql(joinLink(row, "project"), "name") },
      cycle: { type: "float", sql: (row) => columnSql(joinLink(row, "cycle"), "number") },
      team: { type: "text", sql: (row) => columnSql(joinLink(row, "team"), "name") },
    },
  },
  one: { issue: { entity: "Issue" } },
  many: { issues: { entity: "Issue" } },
  values: { issuePriorityValues },
  mutations: {
    issueCreate: defineInputMutation("member", IssueCreateInput, issueCreate),
    issueUpdate: {
      ...defineInputMutation(
        "member",
        IssueUpdateInput,
        (write: WriteContext, input: IssueUpdate, { id }: { id: string }) => issueUpdate(write, id, input),
      ),
      reads: readsOfState,
    },
    issueArchive: withHolderCheck(archiveMutation("Issue", changeIssue)),
    issueUnarchive: withHolderCheck(restoreMutation("Issue", changeIssue)),
    issueDelete: withHolderCheck(
      defineIdMutation(({ permanentlyDelete }) => (permanentlyDelete ? "owner" : "member"), issueDelete),
    ),
    issueAddLabel: withHolderCheck(
      defineIdMutation("member", (write, args: LabelChange) => setLabel(write, args, true)),
    ),
    issueRemoveLabel: withHolderCheck(
      defineIdMutation("member", (write, args: LabelChange) => setLabel(write, args, false)),
    ),
    issueBatchCreate: defineInputMutation("member", IssueBatchCreateInput, issueBatchCreate),
    issueBatchUpdate: {
      ...defineInputMutation("member", IssueBatchUpdateInput, issueBatchUpdate),
      reads: readsOfState,
    },
    issueBatchImport,
  },
};
