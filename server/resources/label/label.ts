import { z } from "zod";
import { knex, toStatement } from "../../../db/builder.ts";
import { buildLowerCaseNfcSql } from "../../../db/text/canonical.ts";
import { toCanonicalText } from "../../../formats/names.ts";
import { conflict, inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { nullable } from "../../read/entity.ts";
import { columnSql } from "../../read/row.ts";
import { createRow, updateRow } from "../../write/change.ts";
import { findReferencedRows, findRowOrThrow } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { ColumnValues, LoadedRow } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { removeMutation } from "../archive.ts";
import {
  BASE_COLUMNS,
  colorSchema,
  DEFAULT_COLOR,
  idSchema,
  isHiddenWithTeamSql,
  longTextSchema,
  nameSchema,
  nullToUndefined,
  organizationLink,
  pageUrl,
  referenceSchema,
} from "../fields.ts";
import { defineInputMutation, type Resource } from "../resource.ts";

const IssueLabelCreateInput = z.strictObject({
  id: idSchema.nullish(),
  name: nameSchema,
  description: longTextSchema.nullish(),
  color: colorSchema.nullish(),
  teamId: referenceSchema.nullish(),
  parentId: referenceSchema.nullish(),
  isGroup: z.boolean().nullish(),
});
type IssueLabelCreate = z.infer<typeof IssueLabelCreateInput>;

/** Input of a label update. The team of a label cannot change. */
const IssueLabelUpdateInput = IssueLabelCreateInput.omit({ id: true, teamId: true }).extend({
  name: nameSchema.nullish(),
});
type IssueLabelUpdate = z.infer<typeof IssueLabelUpdateInput>;

/** Creates a label of a team or of the organization. */
const issueLabelCreate = idempotentById("IssueLabel", async (write: WriteContext, input: IssueLabelCreate) => {
  const { teamId: team, parentId: group } = await findReferencedRows(write, {
    teamId: ["Team", input.teamId],
    parentId: ["IssueLabel", input.parentId],
  });
  const isGroup = input.isGroup ?? false;
  const label = { id: input.id ?? newId(), name: input.name, teamId: team?.id ?? null, isGroup };
  if (group) checkGroup(label, group);
  await checkName(write, label);
  createRow(write, "IssueLabel", {
    ...label,
    parentId: group?.id ?? null,
    creatorId: write.scope.userId,
    description: input.description ?? null,
    color: input.color ?? DEFAULT_COLOR,
  });
  return { id: label.id };
});

/** Changes a label. Absent fields stay unchanged. */
async function issueLabelUpdate(write: WriteContext, input: IssueLabelUpdate, args: { id: string }) {
  const before = await findRowOrThrow(write, "IssueLabel", args.id);
  const { parentId: group } = await findReferencedRows(write, { parentId: ["IssueLabel", input.parentId] });
  const isGroup = input.isGroup ?? before.isGroup;
  const after = { ...before, name: input.name ?? before.name, isGroup };
  const parentId = input.parentId === undefined ? before.parentId : (group?.id ?? null);
  if (group) checkGroup(after, group);
  else if (parentId && isGroup) throw inputError("isGroup: a label in a group cannot be a group", "isGroup");
  if (isGroup !== before.isGroup) await checkUnused(write, before);
  if (after.name !== before.name) await checkName(write, after);
  updateRow(write, "IssueLabel", before, {
    name: nullToUndefined(input.name),
    description: input.description,
    color: nullToUndefined(input.color),
    parentId,
    isGroup,
  });
  return { id: before.id };
}

type Label = Pick<LoadedRow<"IssueLabel">, "id" | "name" | "teamId" | "isGroup">;

/** @throws inputError if a label cannot be in the group. */
function checkGroup(label: Label, group: LoadedRow<"IssueLabel">): void {
  const fault =
    (group.id === label.id && "a label cannot be its own group") ||
    (!group.isGroup && `${group.name} is not a group`) ||
    (label.isGroup && "a group cannot be in a group") ||
    (group.teamId && group.teamId !== label.teamId && `${group.name} belongs to another team`);
  if (fault) throw inputError(`parentId: ${fault}`, "parentId");
}

/**
 * @throws conflict if the team, or the organization, has another label with the same name, ignoring case and normal
 * form.
 */
async function checkName(write: WriteContext, { id: labelId, name: labelName, teamId }: Label): Promise<void> {
  const { organizationId } = write.scope;
  const others = knex("issueLabel")
    .where({ organizationId, teamId: teamId ?? null })
    .whereNot({ id: labelId });
  const [taken] = await write.trx.query(
    toStatement(
      others
        .whereRaw(`${buildLowerCaseNfcSql("name")} = lower(?)`, [toCanonicalText(labelName)])
        .limit(1)
        .select("id"),
    ),
  );
  if (taken) throw conflict(`a label named ${labelName} already exists; choose another name`, undefined, "name");
}

/**
 * @throws conflict if an issue has the label and the label would become a group, or if a group contains labels and
 * would become a label.
 */
async function checkUnused(write: WriteContext, label: LoadedRow<"IssueLabel">): Promise<void> {
  const used = label.isGroup ? await children(write, label.id) : await carriers(write, label.id, 1);
  if (used.length === 0) return;
  const cause = label.isGroup ? "labels are in this group; take them out first" : "issues carry this label";
  throw conflict(`isGroup cannot change: ${cause}`, undefined, "isGroup");
}

async function carriers(write: WriteContext, labelId: string, limit: number): Promise<string[]> {
  const { organizationId } = write.scope;
  const links = knex("issueLabelLink").where({ organizationId, labelId }).orderBy("issueId").limit(limit);
  const rows = await write.trx.query<{ issueId: string }>(toStatement(links.select("issueId")));
  return rows.map(({ issueId }) => issueId);
}

async function children(write: WriteContext, labelId: string): Promise<string[]> {
  const { organizationId } = write.scope;
  const rows = await write.trx.query<{ id: string }>(
    toStatement(knex("issueLabel").where({ organizationId, parentId: labelId }).orderBy("id").select("id")),
  );
  return rows.map((row) => row.id);
}

const columns = {
  ...BASE_COLUMNS,
  teamId: nullable("uuid"),
  parentId: nullable("uuid"),
  creatorId: nullable("uuid"),
  name: "text",
  description: nullable("text"),
  color: "text",
  isGroup: "boolean",
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    IssueLabel: { stored: ColumnValues<typeof columns> };
  }
}

export const issueLabelResource: Resource = {
  entity: {
    name: "IssueLabel",
    table: "issueLabel",
    event: "label",
    columns,
    tuning: { few: "cached", scanned: { description: 1 } },
    computed: {
      url: pageUrl((row) => `'/settings/labels/' || ${columnSql(row, "id")}`),
    },
    hidden: isHiddenWithTeamSql,
    one: {
      organization: organizationLink,
      team: { entity: "Team", by: "teamId", onDelete: "cascade-silently" },
      creator: { entity: "User", by: "creatorId", onDelete: "detach" },
      parent: { entity: "IssueLabel", by: "parentId", onDelete: "detach" },
    },
    many: {
      children: { entity: "IssueLabel", by: "parentId" },
      issues: { entity: "Issue", through: { table: "issueLabelLink", from: "labelId", to: "issueId" } },
    },
  },
  one: { issueLabel: { entity: "IssueLabel" } },
  many: { issueLabels: { entity: "IssueLabel" } },
  mutations: {
    issueLabelCreate: defineInputMutation("member", IssueLabelCreateInput, issueLabelCreate),
    issueLabelUpdate: defineInputMutation("member", IssueLabelUpdateInput, issueLabelUpdate),
    // Each issue with the deleted label gets a change in the change log. Labels in a deleted group remain, and get no
    // change.
    issueLabelDelete: removeMutation("IssueLabel"),
  },
};
