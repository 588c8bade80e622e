import { z } from "zod";
import { addLink, dropLinks, update } from "../core/change.ts";
import { references as load, target } from "../core/find.ts";
import type { Raw, Write } from "../core/write.ts";
import { inputError } from "../errors.ts";
import { references, title } from "./fields.ts";
import { checkTeam, issueFields, issueReferences, labelIdsOf, labelReferences, stateStamps } from "./issue-create.ts";

export const IssueUpdateInput = z.strictObject({
  ...issueFields,
  teamId: z.string().max(100).optional(),
  title: title.optional(),
  addedLabelIds: references.nullish(),
  removedLabelIds: references.nullish(),
  trashed: z.boolean().nullish(),
});
export type IssueUpdateInput = z.infer<typeof IssueUpdateInput>;

const PLAIN = ["title", "description", "estimate", "dueDate"] as const;
const LINKS = ["assigneeId", "parentId", "projectId", "cycleId"] as const;

/** Changes an issue; what the input leaves out stays as it is, null clears. */
export async function issueUpdate(write: Write, id: string, input: IssueUpdateInput) {
  const before = await target(write, "Issue", id);
  const found = await load(write, {
    ...issueReferences(input),
    ...labelReferences("addedLabelIds", input.addedLabelIds),
  });
  checkTeam(found, String(before.teamId));
  if (found.parentId) await checkParent(write, String(before.id), found.parentId);
  const patch: Raw = Object.fromEntries(
    PLAIN.filter((name) => name in input).map((name) => [name, input[name] ?? null]),
  );
  if (input.title === undefined) delete patch.title;
  if (typeof input.priority === "number") patch.priority = input.priority;
  if (typeof input.sortOrder === "number") patch.sortOrder = input.sortOrder;
  for (const link of LINKS) if (input[link] !== undefined) patch[link] = found[link]?.id ?? null;
  const { stateId: state } = found;
  if (state && state.id !== before.stateId)
    Object.assign(patch, stateStamps(write, state, before), { stateId: state.id });
  const labelIds = await labelsAfter(write, before, input, found);
  update(write, "Issue", before, patch, { sets: { labelIds } });
  return { id: String(before.id) };
}

/** @throws inputError when a parent would make a circle. */
async function checkParent(write: Write, issueId: string, parent: Raw): Promise<void> {
  const [circle] = await write.trx.query({
    text: `with recursive up (id, "parentId", depth) as (
        select id, "parentId", 1 from issue where "organizationId" = $1 and id = $2
        union all select i.id, i."parentId", up.depth + 1 from issue i join up on i.id = up."parentId"
        where i."organizationId" = $1 and up.depth < 1000)
      select 1 from up where id = $3`,
    values: [write.scope.organizationId, parent.id, issueId],
  });
  if (circle)
    throw inputError("parentId: an issue cannot be a part of itself, directly or through its parents", "parentId");
}

async function labelsAfter(write: Write, issue: Raw, input: IssueUpdateInput, found: Record<string, Raw>) {
  const asked = input.labelIds ?? input.addedLabelIds ?? input.removedLabelIds;
  if (!asked) return { before: [], after: [] };
  const rows = await write.trx.query<{ labelId: string }>({
    text: `select "labelId" from "issueLabelLink" where "organizationId" = $1 and "issueId" = $2 order by 1`,
    values: [write.scope.organizationId, issue.id],
  });
  const before = rows.map((row) => row.labelId);
  const kept = input.labelIds ? labelIdsOf(found) : before;
  const dropped = new Set((input.removedLabelIds ?? []).map((labelId) => labelId.toLowerCase()));
  const after = [...new Set([...kept, ...labelIdsOf(found, "addedLabelIds")])].filter(
    (labelId) => !dropped.has(labelId),
  );
  for (const labelId of before)
    if (!after.includes(labelId)) dropLinks(write, "issueLabelLink", { issueId: issue.id, labelId });
  for (const labelId of after)
    if (!before.includes(labelId)) addLink(write, "issueLabelLink", { issueId: issue.id, labelId });
  return { before, after };
}
