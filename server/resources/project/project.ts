import { column, joined, type Row } from "../../read/row.ts";
import { archiving, deleting, restoring } from "../archive.ts";
import { BASE, base, LONG_TEXT_BYTES, linkedIds, organizationLink, priorityLabel, progress, slug } from "../fields.ts";
import { mutation, type Resource } from "../resource.ts";
import { ProjectCreateInput, ProjectUpdateInput, projectCreate, projectUpdate } from "./write.ts";

/** Twelve hex digits of the id: short, stable, and unique enough within an organization. */
const slugId = (row: Row) => `right(replace(${column(row, "id")}::text, '-', ''), 12)`;

export const project: Resource = {
  entity: {
    name: "Project",
    table: "project",
    event: "project",
    columns: {
      ...BASE,
      name: "text",
      description: "text",
      content: "text",
      icon: "text",
      color: "text",
      statusId: "uuid",
      leadId: "uuid",
      creatorId: "uuid",
      priority: "integer",
      startDate: "date",
      targetDate: "date",
      startedAt: "timestamp",
      completedAt: "timestamp",
      canceledAt: "timestamp",
      sortOrder: "float",
      trashed: "boolean",
    },
    long: { content: LONG_TEXT_BYTES },
    computed: {
      slugId: { type: "text", sql: slugId },
      url: {
        type: "text",
        sql: (row) => `${base(row)} || '/project/' || ${slug(column(row, "name"))} || '-' || ${slugId(row)}`,
      },
      priorityLabel: { type: "text", sql: priorityLabel },
      state: { type: "text", sql: (row) => column(joined(row, "status"), "type") },
      progress: { type: "float", sql: (row) => progress(row, "projectId") },
      teamIds: { type: "text[]", sql: (row) => linkedIds(row, "projectTeam", "projectId", "teamId") },
      memberIds: { type: "text[]", sql: (row) => linkedIds(row, "projectMember", "projectId", "userId") },
    },
    published: ["slugId", "url", "teamIds", "memberIds"],
    loaded: ["teamIds", "memberIds"],
    one: {
      organization: organizationLink,
      status: { entity: "ProjectStatus", by: "statusId" },
      lead: { entity: "User", by: "leadId" },
      creator: { entity: "User", by: "creatorId" },
    },
    many: {
      issues: { entity: "Issue", by: "projectId" },
      comments: { entity: "Comment", by: "projectId" },
      teams: { entity: "Team", through: { table: "projectTeam", from: "projectId", to: "teamId" }, few: true },
      accessibleTeams: { entity: "Team", through: { table: "projectTeam", from: "projectId", to: "teamId" } },
      members: { entity: "User", through: { table: "projectMember", from: "projectId", to: "userId" }, few: true },
    },
    sorts: {
      lead: (row) => column(joined(row, "lead"), "displayName"),
      manual: (row) => column(row, "sortOrder"),
      status: (row) => column(joined(row, "status"), "position"),
    },
    hidden: (row) => `(${column(row, "archivedAt")} is not null or ${column(row, "trashed")} is true)`,
    reference: (row, value) => `${slugId(row)} = right(lower(${value}), 12)`,
  },
  one: { project: { entity: "Project" } },
  many: { projects: { entity: "Project" } },
  mutations: {
    projectCreate: mutation(ProjectCreateInput, projectCreate),
    projectUpdate: mutation(ProjectUpdateInput, projectUpdate),
    projectArchive: archiving("Project"),
    projectUnarchive: restoring("Project"),
    projectDelete: deleting("Project"),
  },
};
