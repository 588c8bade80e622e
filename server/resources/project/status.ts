import type { Knex } from "knex";
import { z } from "zod";
import { knex, toStatement } from "../../../db/builder.ts";
import { buildLowerCaseNfcSql } from "../../../db/text/canonical.ts";
import { toCanonicalText } from "../../../formats/names.ts";
import { conflict } from "../../errors.ts";
import { newId } from "../../id.ts";
import { nullable } from "../../read/entity.ts";
import { createRow, updateRow } from "../../write/change.ts";
import { findRowOrThrow } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { ColumnValues } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { archive, restore } from "../archive.ts";
import {
  BASE_COLUMNS,
  colorSchema,
  idSchema,
  longTextSchema,
  nameSchema,
  nullToUndefined,
  positionSchema,
} from "../fields.ts";
import { defineIdMutation, defineInputMutation, type Resource } from "../resource.ts";

/** Types of a project status: the values of the enum ProjectStatusType. */
const type = z.enum(["backlog", "planned", "started", "paused", "completed", "canceled"]);

const ProjectStatusCreateInput = z.strictObject({
  id: idSchema.nullish(),
  name: nameSchema,
  type,
  color: colorSchema,
  description: longTextSchema.nullish(),
  position: positionSchema,
  indefinite: z.boolean().nullish(),
});
type ProjectStatusCreate = z.infer<typeof ProjectStatusCreateInput>;

const ProjectStatusUpdateInput = z.strictObject({
  name: nameSchema.nullish(),
  type: type.nullish(),
  color: colorSchema.nullish(),
  description: longTextSchema.nullish(),
  position: positionSchema.nullish(),
  indefinite: z.boolean().nullish(),
});
type ProjectStatusUpdate = z.infer<typeof ProjectStatusUpdateInput>;

const columns = {
  ...BASE_COLUMNS,
  name: "text",
  type: "text",
  color: "text",
  description: nullable("text"),
  position: "float",
  indefinite: "boolean",
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    ProjectStatus: { stored: ColumnValues<typeof columns> };
  }
}

/** Creates a status for the organization's projects. */
const projectStatusCreate = idempotentById("ProjectStatus", async (write: WriteContext, input: ProjectStatusCreate) => {
  await checkName(write, input.name);
  const statusId = input.id ?? newId();
  createRow(write, "ProjectStatus", {
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

/** Changes a status. Absent fields stay unchanged. */
async function projectStatusUpdate(write: WriteContext, input: ProjectStatusUpdate, args: { id: string }) {
  const before = await findRowOrThrow(write, "ProjectStatus", args.id);
  if (input.name && input.name !== before.name) await checkName(write, input.name, before.id);
  updateRow(write, "ProjectStatus", before, {
    name: nullToUndefined(input.name),
    type: nullToUndefined(input.type),
    color: nullToUndefined(input.color),
    description: input.description,
    position: nullToUndefined(input.position),
    indefinite: nullToUndefined(input.indefinite),
  });
  return { id: before.id };
}

/**
 * Archives a status without projects. @throws conflict if a project has the status, or if no other status would
 * remain.
 */
async function projectStatusArchive(write: WriteContext, args: { id: string }) {
  const before = await findRowOrThrow(write, "ProjectStatus", args.id);
  const { organizationId } = write.scope;
  const users = knex("project").where({ organizationId, statusId: before.id });
  const others = knex("projectStatus").where({ organizationId, archivedAt: null }).whereNot({ id: before.id });
  const [used, other] = await Promise.all([users, others].map((rows) => first(write, rows)));
  if (used)
    throw conflict(
      "projects have this status, possibly archived or in the trash; give these projects another status first",
    );
  if (!other) throw conflict("this is the last status; create another status first");
  archive(write, "ProjectStatus", before);
  return { id: before.id };
}

/** Restores an archived status. @throws conflict if another status has the same name. */
async function projectStatusUnarchive(write: WriteContext, args: { id: string }) {
  const before = await findRowOrThrow(write, "ProjectStatus", args.id);
  if (before.archivedAt) await checkName(write, before.name, before.id);
  restore(write, "ProjectStatus", before);
  return { id: before.id };
}

async function first(write: WriteContext, rows: Knex.QueryBuilder): Promise<unknown> {
  const [row] = await write.trx.query(toStatement(rows.limit(1).select("id")));
  return row;
}

async function checkName(write: WriteContext, statusName: string, except?: string): Promise<void> {
  const { organizationId } = write.scope;
  const named = knex("projectStatus").where({ organizationId, archivedAt: null });
  if (except !== undefined) named.whereNot({ id: except });
  const taken = await first(
    write,
    named.whereRaw(`${buildLowerCaseNfcSql("name")} = lower(?)`, [toCanonicalText(statusName)]),
  );
  if (taken) throw conflict(`a status named ${statusName} already exists; choose another name`, undefined, "name");
}

export const projectStatusResource: Resource = {
  entity: {
    name: "ProjectStatus",
    table: "projectStatus",
    exact: ["type"],
    columns,
    tuning: { scanned: { description: 1 } },
    refused: ({ archivedAt }) => (archivedAt ? "is archived" : undefined),
    many: { projects: { entity: "Project", by: "statusId" } },
  },
  one: { projectStatus: { entity: "ProjectStatus" } },
  many: { projectStatuses: { entity: "ProjectStatus" } },
  mutations: {
    projectStatusCreate: defineInputMutation("member", ProjectStatusCreateInput, projectStatusCreate),
    projectStatusUpdate: defineInputMutation("member", ProjectStatusUpdateInput, projectStatusUpdate),
    projectStatusArchive: defineIdMutation("member", projectStatusArchive),
    projectStatusUnarchive: defineIdMutation("member", projectStatusUnarchive),
  },
};
