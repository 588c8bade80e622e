import { z } from "zod";
import { knex, toStatement } from "../../../db/builder.ts";
import { buildFoldedSql } from "../../../db/text/canonical.ts";
import { toCanonicalText } from "../../../formats/names.ts";
import { conflict, inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { nullable } from "../../read/entity.ts";
import { column } from "../../read/row.ts";
import { create, update } from "../../write/change.ts";
import { findReferences, findTarget } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { ColumnValues, Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { removeMutation } from "../archive.ts";
import {
  BASE_COLUMNS,
  color,
  DEFAULT_COLOR,
  hiddenWithTeam,
  id,
  longText,
  name,
  nullToUndefined,
  organizationLink,
  pageUrl,
  reference,
} from "../fields.ts";
import { mutation, type Resource } from "../resource.ts";

const IssueLabelCreateInput = z.strictObject({
  id: id.nullish(),
  name,
  description: longText.nullish(),
  color: color.nullish(),
  teamId: reference.nullish(),
  parentId: reference.nullish(),
  isGroup: z.boolean().nullish(),
});
type IssueLabelCreate = z.infer<typeof IssueLabelCreateInput>;

/** Input of a label update. The team of a label cannot change. */
const IssueLabelUpdateInput = IssueLabelCreateInput.omit({ id: true, teamId: true }).extend({
  name: name.nullish(),
});
type IssueLabelUpdate = z.infer<typeof IssueLabelUpdateInput>;

/** Creates a label of a team or of the organization. */
const issueLabelCreate = idempotentById("IssueLabel", async (write: Write, input: IssueLabelCreate) => {
  const { teamId: team, parentId: group } = await findReferences(write, {
    teamId: ["Team", input.teamId],
    parentId: ["IssueLabel", input.parentId],
  });
  const isGroup = input.isGroup ?? false;
  const label = { id: input.id ?? newId(), name: input.name, teamId: team?.id ?? null, isGroup };
  if (group) checkGroup(label, group);
  await checkName(write, label);
  create(write, "IssueLabel", {
    ...label,
    parentId: group?.id ?? null,
    creatorId: write.scope.userId,
    description: input.description ?? null,
    color: input.color ?? DEFAULT_COLOR,
  });
  return { id: label.id };
});

/** Changes a label. Absent fields stay unchanged. */
async function issueLabelUpdate(write: Write, input: IssueLabelUpdate, args: { id: string }) {
  const before = await findTarget(write, "IssueLabel", args.id);
  const { parentId: group } = await findReferences(write, { parentId: ["IssueLabel", input.parentId] });
  const isGroup = input.isGroup ?? before.isGroup;
  const after = { ...before, name: input.name ?? before.name, isGroup };
  const parentId = input.parentId === undefined ? before.parentId : (group?.id ?? null);
  if (group) checkGroup(after, group);
  else if (parentId && isGroup) throw inputError("isGroup: a label in a group cannot be a group", "isGroup");
  if (isGroup !== before.isGroup) await checkUnused(write, before);
  if (after.name !== before.name) await checkName(write, after);
  update(write, "IssueLabel", before, {
    name: nullToUndefined(input.name),
    description: input.description,
    color: nullToUndefined(input.color),
    parentId,
    isGroup,
  });
  return { id: before.id };
}

type Label = Pick<Found<"IssueLabel">, "id" | "name" | "teamId" | "isGroup">;

/** @throws inputError if a label cannot be in the group. */
function checkGroup(label: Label, group: Found<"IssueLabel">): void {
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
async function checkName(write: Write, { id: labelId, name: labelName, teamId }: Label): Promise<void> {
  const { organizationId } = write.scope;
  const others = knex("issueLabel")
    .where({ organizationId, teamId: teamId ?? null })
    .whereNot({ id: labelId });
  const [taken] = await write.trx.query(
    toStatement(
      others
        .whereRaw(`${buildFoldedSql("name")} = lower(?)`, [toCanonicalText(labelName)])
        .limit(1)
        .select("id"),
    ),
  );
  if (taken) throw conflict(`a label named ${labelName} already exists; choose another name`, undefined, "name");
}

/** @throws conflict if a label on issues would become a group, or a group with labels would become a label. */
async function checkUnused(write: Write, label: Found<"IssueLabel">): Promise<void> {
  const used = label.isGroup ? await children(write, label.id) : await carriers(write, label.id, 1);
  if (used.length === 0) return;
  const cause = label.isGroup ? "labels are in this group; take them out first" : "issues carry this label";
  throw conflict(`isGroup cannot change: ${cause}`, undefined, "isGroup");
}

async function carriers(write: Write, labelId: string, limit: number): Promise<string[]> {
  const { organizationId } = write.scope;
  const links = knex("issueLabelLink").where({ organizationId, labelId }).orderBy("issueId").limit(limit);
  const rows = await write.trx.query<{ issueId: string }>(toStatement(links.select("issueId")));
  return rows.map(({ issueId }) => issueId);
}

async function children(write: Write, labelId: string): Promise<string[]> {
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

export const issueLabel: Resource = {
  entity: {
    name: "IssueLabel",
    table: "issueLabel",
    event: "label",
    columns,
    tuning: { few: "cached", scanned: { description: 1 } },
    computed: {
      url: pageUrl((row) => `'/settings/labels/' || ${column(row, "id")}`),
    },
    hidden: hiddenWithTeam,
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
    issueLabelCreate: mutation("member", IssueLabelCreateInput, issueLabelCreate),
    issueLabelUpdate: mutation("member", IssueLabelUpdateInput, issueLabelUpdate),
    // Each issue loses the label, with a change. Labels in a deleted group stay, without a change.
    issueLabelDelete: removeMutation("IssueLabel"),
  },
};
