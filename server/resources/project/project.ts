import { definePreparedStatement, knex } from "../../../db/builder.ts";
import { conflict } from "../../errors.ts";
import { newId } from "../../id.ts";
import { nullable, type SqlRow } from "../../read/entity.ts";
import { columnSql, joinLink } from "../../read/row.ts";
import { createRow, deleteLinkRows, insertLinkRow, updateRow } from "../../write/change.ts";
import { findReferencedRows as find, findRowOrThrow, toEntityReferences } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import { loadRows } from "../../write/load.ts";
import type { ColumnValues, LoadedRow, RowPatch } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { archiveMutation, restoreMutation, toTrashChange, trashMutation } from "../archive.ts";
import {
  BASE_COLUMNS,
  DEFAULT_COLOR,
  linkedIdsSql,
  MAX_LONG_TEXT_BYTES,
  nullToUndefined,
  organizationLink,
  pageUrl,
  priorityLabelSql,
  slugSql,
} from "../fields.ts";
import { progressSql } from "../issue/counts.ts";
import { toIds } from "../issue/references.ts";
import { stateTimestamps } from "../issue/state.ts";
import { defineInputMutation, type Resource } from "../resource.ts";
import { type ProjectCreate, ProjectCreateInput, type ProjectUpdate, ProjectUpdateInput } from "./input.ts";

/** Creates a project of at least one team, by default in the first status. */
const projectCreate = idempotentById("Project", async (write: WriteContext, input: ProjectCreate) => {
  const found = await find(write, projectReferences(input));
  const status = found.statusId ?? (await firstStatus(write));
  const projectId = input.id ?? newId();
  createRow(write, "Project", {
    id: projectId,
    name: input.name,
    description: input.description ?? "",
    content: input.content ?? null,
    icon: input.icon ?? null,
    color: input.color ?? DEFAULT_COLOR,
    priority: input.priority ?? 0,
    startDate: input.startDate ?? null,
    targetDate: input.targetDate ?? null,
    sortOrder: input.sortOrder ?? 0,
    statusId: status.id,
    leadId: found.leadId?.id ?? null,
    creatorId: write.scope.userId,
    ...stateTimestamps(write, status.type),
  });
  link(write, projectId, "teamIds", [], toIds(found.teamIds));
  link(write, projectId, "memberIds", [], toIds(found.memberIds));
  return { id: projectId };
});

/** Changes a project. Absent fields stay unchanged; null clears a field. */
async function projectUpdate(write: WriteContext, input: ProjectUpdate, args: { id: string }) {
  const wanted = projectReferences(input);
  await loadRows(write, [["Project", args.id], ...toEntityReferences(wanted)]);
  const before = await findRowOrThrow(write, "Project", args.id);
  const found = await find(write, wanted);
  const { statusId: status, leadId: lead } = found;
  const trash = toTrashChange(write, before, input.trashed);
  const patch: RowPatch<"Project"> = {
    ...plain(input),
    ...(input.leadId !== undefined && { leadId: lead?.id ?? null }),
    ...(status &&
      status.id !== before.statusId && { ...stateTimestamps(write, status.type, before), statusId: status.id }),
    ...(input.completedAt !== undefined && { completedAt: input.completedAt }),
    ...(input.canceledAt !== undefined && { canceledAt: input.canceledAt }),
    ...trash.patch,
  };
  const relinked = (list: "teamIds" | "memberIds") =>
    link(write, before.id, list, before[list], input[list] ? toIds(found[list]) : before[list]);
  const also = { teamIds: relinked("teamIds"), memberIds: relinked("memberIds") };
  updateRow(write, "Project", before, patch, { ...trash.change, also });
  return { id: before.id };
}

const projectReferences = (input: ProjectCreate | ProjectUpdate) =>
  ({
    statusId: ["ProjectStatus", input.statusId],
    leadId: ["User", input.leadId],
    teamIds: ["Team", input.teamIds ?? []],
    memberIds: ["User", input.memberIds ?? []],
  }) as const;

/** Fields that are copied unchanged. Required fields cannot be cleared. */
const plain = (input: ProjectUpdate): RowPatch<"Project"> => ({
  name: nullToUndefined(input.name),
  description: nullToUndefined(input.description),
  content: input.content,
  icon: input.icon,
  color: nullToUndefined(input.color),
  priority: nullToUndefined(input.priority),
  startDate: input.startDate,
  targetDate: input.targetDate,
  sortOrder: nullToUndefined(input.sortOrder),
});

const LINKS = {
  teamIds: { table: "projectTeam", column: "teamId" },
  memberIds: { table: "projectMember", column: "userId" },
};

/** Writes a project's links to teams or members. Returns the ids before and after. */
function link(write: WriteContext, projectId: string, list: keyof typeof LINKS, before: string[], after: string[]) {
  const { table, column } = LINKS[list];
  for (const each of before) if (!after.includes(each)) deleteLinkRows(write, table, { projectId, [column]: each });
  for (const each of after) if (!before.includes(each)) insertLinkRow(write, table, { projectId, [column]: each });
  return { before, after };
}

const readFirstStatus = definePreparedStatement(
  "first-status",
  ["organizationId"],
  ({ organizationId }) =>
    knex("projectStatus")
      .where({ organizationId, archivedAt: null })
      .orderBy(["position", "id"])
      .limit(1)
      .select("id", "type"),
  { reads: ["projectStatus"] },
);

async function firstStatus(write: WriteContext): Promise<Status> {
  const { organizationId } = write.scope;
  const [status] = await write.trx.query<Status>(readFirstStatus({ organizationId }));
  if (!status) throw conflict("there is no project status; create one first", undefined, "statusId");
  return status;
}

/** The fields of a project status that determine the project's timestamps. */
type Status = Pick<LoadedRow<"ProjectStatus">, "id" | "type">;

/** The last twelve hex digits of the id: short, stable, and sufficiently unique within an organization. */
const slugId = (row: SqlRow) => `right(replace(${columnSql(row, "id")}::text, '-', ''), 12)`;

const columns = {
  ...BASE_COLUMNS,
  name: "text",
  description: "text",
  content: nullable("text"),
  icon: nullable("text"),
  color: "text",
  statusId: "uuid",
  leadId: nullable("uuid"),
  creatorId: nullable("uuid"),
  priority: "integer",
  startDate: nullable("date"),
  targetDate: nullable("date"),
  startedAt: nullable("timestamp"),
  completedAt: nullable("timestamp"),
  canceledAt: nullable("timestamp"),
  sortOrder: "float",
  trashed: nullable("boolean"),
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    Project: { stored: ColumnValues<typeof columns>; loaded: { teamIds: string[]; memberIds: string[] } };
  }
}

export const projectResource: Resource = {
  entity: {
    name: "Project",
    table: "project",
    exact: ["slugId", "state"],
    event: "project",
    columns,
    tuning: {
      few: true,
      scanned: { description: 1 },
      long: { content: MAX_LONG_TEXT_BYTES },
    },
    computed: {
      slugId: { type: "text", published: true, sql: slugId },
      url: pageUrl((row) => `'/project/' || ${slugSql(columnSql(row, "name"))} || '-' || ${slugId(row)}`),
      priorityLabel: { type: "text", sql: priorityLabelSql },
      state: { type: "text", sql: (row) => columnSql(joinLink(row, "status"), "type") },
      progress: { type: "float", sql: (row) => progressSql(row, "projectId") },
      teamIds: {
        type: "text[]",
        published: true,
        loaded: true,
        sql: (row) => linkedIdsSql(row, "projectTeam", "projectId", "teamId"),
      },
      memberIds: {
        type: "text[]",
        published: true,
        loaded: true,
        sql: (row) => linkedIdsSql(row, "projectMember", "projectId", "userId"),
      },
    },
    one: {
      organization: organizationLink,
      status: {
        entity: "ProjectStatus",
        by: "statusId",
        onDelete: { refuse: "projects have this status, in the archive or the trash perhaps; change theirs first" },
      },
      lead: { entity: "User", by: "leadId", onDelete: "detach" },
      creator: { entity: "User", by: "creatorId", onDelete: "detach" },
    },
    many: {
      issues: { entity: "Issue", by: "projectId" },
      comments: { entity: "Comment", by: "projectId" },
      teams: {
        entity: "Team",
        through: { table: "projectTeam", from: "projectId", to: "teamId", publishedAs: "teamIds" },
        preload: true,
      },
      accessibleTeams: { entity: "Team", through: { table: "projectTeam", from: "projectId", to: "teamId" } },
      members: {
        entity: "User",
        through: { table: "projectMember", from: "projectId", to: "userId", publishedAs: "memberIds" },
        preload: true,
      },
    },
    sorts: {
      lead: { type: "text", sql: (row) => columnSql(joinLink(row, "lead"), "displayName") },
      manual: { type: "float", sql: (row) => columnSql(row, "sortOrder") },
      status: { type: "float", sql: (row) => columnSql(joinLink(row, "status"), "position") },
    },
    hidden: (row) => `(${columnSql(row, "archivedAt")} is not null or ${columnSql(row, "trashed")} is true)`,
    reference: (row, value) => `${slugId(row)} = right(lower(${value}), 12)`,
  },
  one: { project: { entity: "Project" } },
  many: { projects: { entity: "Project" } },
  mutations: {
    projectCreate: defineInputMutation("member", ProjectCreateInput, projectCreate),
    projectUpdate: defineInputMutation("member", ProjectUpdateInput, projectUpdate),
    projectArchive: archiveMutation("Project"),
    projectUnarchive: restoreMutation("Project"),
    projectDelete: trashMutation("Project"),
  },
};
