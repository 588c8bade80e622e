import { z } from "zod";
import { addLink, create } from "../core/change.ts";
import { references as load } from "../core/find.ts";
import { newId } from "../core/id.ts";
import { mutation, type Resource } from "../core/resource.ts";
import { column, joined, type Row } from "../core/row.ts";
import type { Write } from "../core/write.ts";
import {
  BASE,
  base,
  color,
  id,
  longText,
  name,
  organizationLink,
  position,
  priority,
  priorityLabel,
  progress,
  reference,
  references,
  slug,
} from "./fields.ts";

const ProjectCreateInput = z.strictObject({
  id: id.nullish(),
  name,
  teamIds: references.min(1, "must name at least one team"),
  description: longText.nullish(),
  content: longText.nullish(),
  icon: name.nullish(),
  color: color.nullish(),
  statusId: reference.nullish(),
  leadId: reference.nullish(),
  memberIds: references.nullish(),
  priority: priority.nullish(),
  startDate: z.iso.date().nullish(),
  targetDate: z.iso.date().nullish(),
  sortOrder: position.nullish(),
});

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
    computed: {
      slugId: { type: "text", sql: slugId },
      url: {
        type: "text",
        sql: (row) => `${base(row)} || '/project/' || ${slug(column(row, "name"))} || '-' || ${slugId(row)}`,
      },
      priorityLabel: { type: "text", sql: priorityLabel },
      state: { type: "text", sql: (row) => column(joined(row, "status"), "type") },
      progress: { type: "float", sql: (row) => progress(row, "projectId") },
      teamIds: {
        type: "text[]",
        sql: (
          row,
        ) => `array(select l."teamId"::text from "projectTeam" l where l."organizationId" = ${column(row, "organizationId")}
          and l."projectId" = ${column(row, "id")} order by 1)`,
      },
      memberIds: {
        type: "text[]",
        sql: (
          row,
        ) => `array(select l."userId"::text from "projectMember" l where l."organizationId" = ${column(row, "organizationId")}
          and l."projectId" = ${column(row, "id")} order by 1)`,
      },
    },
    published: ["slugId", "url", "teamIds", "memberIds"],
    one: {
      organization: organizationLink,
      status: { entity: "ProjectStatus", by: "statusId" },
      lead: { entity: "User", by: "leadId" },
      creator: { entity: "User", by: "creatorId" },
    },
    many: {
      issues: { entity: "Issue", by: "projectId" },
      comments: { entity: "Comment", by: "projectId" },
      teams: { entity: "Team", through: { table: "projectTeam", from: "projectId", to: "teamId" } },
      accessibleTeams: { entity: "Team", through: { table: "projectTeam", from: "projectId", to: "teamId" } },
      members: { entity: "User", through: { table: "projectMember", from: "projectId", to: "userId" } },
    },
    hidden: (row) => `(${column(row, "archivedAt")} is not null or ${column(row, "trashed")} is true)`,
    reference: (row, value) => `${slugId(row)} = right(lower(${value}), 12)`,
  },
  one: { project: { entity: "Project" } },
  many: { projects: { entity: "Project" } },
  mutations: { projectCreate: mutation(ProjectCreateInput, (write, { input }) => projectCreate(write, input)) },
};

async function projectCreate(write: Write, input: z.infer<typeof ProjectCreateInput>) {
  const projectId = input.id ?? newId();
  const { id: _, teamIds, memberIds, statusId, leadId, ...fields } = input;
  const found = await load(write, {
    statusId: ["ProjectStatus", statusId],
    leadId: ["User", leadId],
    ...Object.fromEntries(teamIds.map((team, at) => [`teamIds.${at}`, ["Team", team]])),
    ...Object.fromEntries((memberIds ?? []).map((member, at) => [`memberIds.${at}`, ["User", member]])),
  });
  create(write, "Project", {
    ...fields,
    id: projectId,
    description: fields.description ?? "",
    color: fields.color ?? "#bec2c8",
    priority: fields.priority ?? 0,
    sortOrder: fields.sortOrder ?? 0,
    statusId: found.statusId?.id ?? (await defaultStatus(write)),
    leadId: found.leadId?.id ?? null,
    creatorId: write.scope.userId,
  });
  for (const [field, { id: rowId }] of Object.entries(found)) {
    if (field.startsWith("teamIds.")) addLink(write, "projectTeam", { projectId, teamId: rowId });
    if (field.startsWith("memberIds.")) addLink(write, "projectMember", { projectId, userId: rowId });
  }
  return { id: projectId };
}

/** The first status by position. */
async function defaultStatus(write: Write): Promise<unknown> {
  const [status] = await write.trx.query({
    text: `select id from "projectStatus" where "organizationId" = $1 and "archivedAt" is null order by position limit 1`,
    values: [write.scope.organizationId],
  });
  return status?.id;
}
