import { z } from "zod";
import { knex, toStatement } from "../../../db/builder.ts";
import { conflict, inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { nullable } from "../../read/entity.ts";
import { column } from "../../read/row.ts";
import { create, update } from "../../write/change.ts";
import { references, target } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { Found, RowOf } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { removing } from "../archive.ts";
import {
  BASE,
  color,
  DEFAULT_COLOR,
  hiddenWithTeam,
  id,
  kept,
  longText,
  name,
  organizationLink,
  pageAt,
  reference,
} from "../fields.ts";
import { mutation, type Resource } from "../resource.ts";

/** The input of a new label. */
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

/** The input of a change of a label; its team cannot. */
const IssueLabelUpdateInput = IssueLabelCreateInput.omit({ id: true, teamId: true }).extend({
  name: name.nullish(),
});
type IssueLabelUpdate = z.infer<typeof IssueLabelUpdateInput>;

/** Creates a label of a team, or of the whole organization. */
const issueLabelCreate = idempotentById("IssueLabel", async (write: Write, input: IssueLabelCreate) => {
  const { teamId: team, parentId: group } = await references(write, {
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

/** Changes a label; what the input leaves out stays as it is. */
async function issueLabelUpdate(write: Write, input: IssueLabelUpdate, args: { id: string }) {
  const before = await target(write, "IssueLabel", args.id);
  const { parentId: group } = await references(write, { parentId: ["IssueLabel", input.parentId] });
  const isGroup = input.isGroup ?? before.isGroup;
  const after = { ...before, name: input.name ?? before.name, isGroup };
  const parentId = input.parentId === undefined ? before.parentId : (group?.id ?? null);
  if (group) checkGroup(after, group);
  else if (parentId && isGroup) throw inputError("isGroup: a label in a group cannot be a group", "isGroup");
  if (isGroup !== before.isGroup) await checkUnused(write, before);
  if (after.name !== before.name) await checkName(write, after);
  update(write, "IssueLabel", before, {
    name: kept(input.name),
    description: input.description,
    color: kept(input.color),
    parentId,
    isGroup,
  });
  return { id: before.id };
}

type Label = Pick<Found<"IssueLabel">, "id" | "name" | "teamId" | "isGroup">;

/** @throws inputError when a label cannot be in that group. */
function checkGroup(label: Label, group: Found<"IssueLabel">): void {
  const fault =
    (group.id === label.id && "a label cannot be its own group") ||
    (!group.isGroup && `${group.name} is no group`) ||
    (label.isGroup && "a group cannot be in a group") ||
    (group.teamId && group.teamId !== label.teamId && `${group.name} belongs to another team`);
  if (fault) throw inputError(`parentId: ${fault}`, "parentId");
}

/** @throws conflict when the team, or the whole organization, has another label of that name in any case. */
async function checkName(write: Write, { id: labelId, name: labelName, teamId }: Label): Promise<void> {
  const { organizationId } = write.scope;
  const others = knex("issueLabel")
    .where({ organizationId, teamId: teamId ?? null })
    .whereNot({ id: labelId });
  const [taken] = await write.trx.query(
    toStatement(others.whereRaw("lower(name) = lower(?)", [labelName]).limit(1).select("id")),
  );
  if (taken) throw conflict(`there is a label named ${labelName}; choose another name`, undefined, "name");
}

/** @throws conflict when a label on issues would become a group, or a group with labels cease to be one. */
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
  ...BASE,
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
    IssueLabel: { stored: RowOf<typeof columns> };
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
      url: pageAt((row) => `'/settings/labels/' || ${column(row, "id")}`),
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
    // Issues lose it, each with a change of its own; labels of a group stay, without one.
    issueLabelDelete: removing("IssueLabel"),
  },
};
