import type { Knex } from "knex";
import { z } from "zod";
import { knex, toStatement } from "../../../db/builder.ts";
import { conflict } from "../../errors.ts";
import { newId } from "../../id.ts";
import { nullable } from "../../read/entity.ts";
import { create, update } from "../../write/change.ts";
import { target } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { RowOf } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { archive, restore } from "../archive.ts";
import { BASE, color, id, kept, longText, name, position } from "../fields.ts";
import { action, mutation, type Resource } from "../resource.ts";

/** Meanings of a project status: the values of the enum ProjectStatusType. */
const type = z.enum(["backlog", "planned", "started", "paused", "completed", "canceled"]);

/** The input of a new project status. */
const ProjectStatusCreateInput = z.strictObject({
  id: id.nullish(),
  name,
  type,
  color,
  description: longText.nullish(),
  position,
  indefinite: z.boolean().nullish(),
});
type ProjectStatusCreate = z.infer<typeof ProjectStatusCreateInput>;

/** The input of a change of a project status. */
const ProjectStatusUpdateInput = z.strictObject({
  name: name.nullish(),
  type: type.nullish(),
  color: color.nullish(),
  description: longText.nullish(),
  position: position.nullish(),
  indefinite: z.boolean().nullish(),
});
type ProjectStatusUpdate = z.infer<typeof ProjectStatusUpdateInput>;

const columns = {
  ...BASE,
  name: "text",
  type: "text",
  color: "text",
  description: nullable("text"),
  position: "float",
  indefinite: "boolean",
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    ProjectStatus: { stored: RowOf<typeof columns> };
  }
}

/** Creates a status that projects of the organization can have. */
const projectStatusCreate = idempotentById("ProjectStatus", async (write: Write, input: ProjectStatusCreate) => {
  await checkName(write, input.name);
  const statusId = input.id ?? newId();
  create(write, "ProjectStatus", {
    id: statusId,
    name: input.name,
    type: input.type,
    color: input.color,
    description: input.description ?? null,
    position: input.position,
    indefinite: input.indefinite ?? false,
  });
  return { id: statusId };
});

/** Changes a status; what the input leaves out stays as it is. */
async function projectStatusUpdate(write: Write, input: ProjectStatusUpdate, args: { id: string }) {
  const before = await target(write, "ProjectStatus", args.id);
  if (input.name && input.name !== before.name) await checkName(write, input.name, before.id);
  update(write, "ProjectStatus", before, {
    name: kept(input.name),
    type: kept(input.type),
    color: kept(input.color),
    description: input.description,
    position: kept(input.position),
    indefinite: kept(input.indefinite),
  });
  return { id: before.id };
}

/** Archives a status no project is in. @throws conflict while one is, or when no other would be left. */
async function projectStatusArchive(write: Write, args: { id: string }) {
  const before = await target(write, "ProjectStatus", args.id);
  const { organizationId } = write.scope;
  const users = knex("project").where({ organizationId, statusId: before.id });
  const others = knex("projectStatus").where({ organizationId, archivedAt: null }).whereNot({ id: before.id });
  const [used, other] = await Promise.all([users, others].map((rows) => first(write, rows)));
  if (used) throw conflict("projects have this status, in the archive or the trash perhaps; change theirs first");
  if (!other) throw conflict("it is the last status; create another one first");
  archive(write, "ProjectStatus", before);
  return { id: before.id };
}

/** Restores an archived status. @throws conflict when another has taken its name. */
async function projectStatusUnarchive(write: Write, args: { id: string }) {
  const before = await target(write, "ProjectStatus", args.id);
  if (before.archivedAt) await checkName(write, before.name, before.id);
  restore(write, "ProjectStatus", before);
  return { id: before.id };
}

async function first(write: Write, rows: Knex.QueryBuilder): Promise<unknown> {
  const [row] = await write.trx.query(toStatement(rows.limit(1).select("id")));
  return row;
}

async function checkName(write: Write, statusName: string, except?: string): Promise<void> {
  const { organizationId } = write.scope;
  const named = knex("projectStatus").where({ organizationId, archivedAt: null });
  if (except !== undefined) named.whereNot({ id: except });
  const taken = await first(write, named.whereRaw("lower(name) = lower(?)", [statusName]));
  if (taken) throw conflict(`there is a status named ${statusName}; choose another name`, undefined, "name");
}

export const projectStatus: Resource = {
  entity: {
    name: "ProjectStatus",
    table: "projectStatus",
    columns,
    tuning: { scanned: { description: 1 } },
    refused: ({ archivedAt }) => (archivedAt ? "is archived" : undefined),
    many: { projects: { entity: "Project", by: "statusId" } },
  },
  one: { projectStatus: { entity: "ProjectStatus" } },
  many: { projectStatuses: { entity: "ProjectStatus" } },
  mutations: {
    projectStatusCreate: mutation("member", ProjectStatusCreateInput, projectStatusCreate),
    projectStatusUpdate: mutation("member", ProjectStatusUpdateInput, projectStatusUpdate),
    projectStatusArchive: action("member", projectStatusArchive),
    projectStatusUnarchive: action("member", projectStatusUnarchive),
  },
};
