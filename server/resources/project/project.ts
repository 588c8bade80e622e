import { nullable, type SqlRow } from "../../read/entity.ts";
import { column, joined } from "../../read/row.ts";
import type { RowOf } from "../../write/rows.ts";
import { archiving, deleting, restoring } from "../archive.ts";
import { BASE, LONG_TEXT_BYTES, linkedIds, organizationLink, pageAt, priorityLabel, slug } from "../fields.ts";
import { progress } from "../issue/counts.ts";
import { mutation, type Resource } from "../resource.ts";
import { ProjectCreateInput, ProjectUpdateInput } from "./input.ts";
import { projectCreate, projectUpdate } from "./write.ts";

/** Twelve hex digits of the id: short, stable, and unique enough within an organization. */
const slugId = (row: SqlRow) => `right(replace(${column(row, "id")}::text, '-', ''), 12)`;

const columns = {
  ...BASE,
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
    Project: { stored: RowOf<typeof columns>; loaded: { teamIds: string[]; memberIds: string[] } };
  }
}

export const project: Resource = {
  entity: {
    name: "Project",
    table: "project",
    event: "project",
    columns,
    tuning: {
      few: true,
      scanned: { description: 1 },
      long: { content: LONG_TEXT_BYTES },
    },
    computed: {
      slugId: { type: "text", published: true, sql: slugId },
      url: pageAt((row) => `'/project/' || ${slug(column(row, "name"))} || '-' || ${slugId(row)}`),
      priorityLabel: { type: "text", sql: priorityLabel },
      state: { type: "text", sql: (row) => column(joined(row, "status"), "type") },
      progress: { type: "float", sql: (row) => progress(row, "projectId") },
      teamIds: {
        type: "text[]",
        published: true,
        loaded: true,
        sql: (row) => linkedIds(row, "projectTeam", "projectId", "teamId"),
      },
      memberIds: {
        type: "text[]",
        published: true,
        loaded: true,
        sql: (row) => linkedIds(row, "projectMember", "projectId", "userId"),
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
      lead: { type: "text", sql: (row) => column(joined(row, "lead"), "displayName") },
      manual: { type: "float", sql: (row) => column(row, "sortOrder") },
      status: { type: "float", sql: (row) => column(joined(row, "status"), "position") },
    },
    hidden: (row) => `(${column(row, "archivedAt")} is not null or ${column(row, "trashed")} is true)`,
    reference: (row, value) => `${slugId(row)} = right(lower(${value}), 12)`,
  },
  one: { project: { entity: "Project" } },
  many: { projects: { entity: "Project" } },
  mutations: {
    projectCreate: mutation("member", ProjectCreateInput, projectCreate),
    projectUpdate: mutation("member", ProjectUpdateInput, projectUpdate),
    projectArchive: archiving("Project"),
    projectUnarchive: restoring("Project"),
    projectDelete: deleting("Project"),
  },
};
