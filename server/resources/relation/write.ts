import { compiled, knex } from "../../../db/builder.ts";
import { conflict, inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { create, remove, update } from "../../write/change.ts";
import { references, target } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { Found } from "../../write/rows.ts";
import { addedRows, type Write } from "../../write/write.ts";
import { changeIssue } from "../issue/change.ts";
import { keepReadiness } from "../issue/readiness.ts";
import { firstState, stateStamps } from "../issue/state.ts";
import { refuseCircle } from "./circle.ts";
import type { IssueRelationCreate, IssueRelationUpdate, RelationType } from "./input.ts";

/** Two issues and what the first is to the second. */
interface Relation {
  type: RelationType;
  issue: Found<"Issue">;
  related: Found<"Issue">;
}

/**
 * Relates two issues; one that they have already is answered as it is.
 * @throws inputError for an issue and itself; conflict for `blocks` in a circle
 */
export const issueRelationCreate = idempotentById("IssueRelation", async (write: Write, input: IssueRelationCreate) => {
  const { issueId: issue, relatedIssueId: related } = await references(write, {
    issueId: ["Issue", input.issueId],
    relatedIssueId: ["Issue", input.relatedIssueId],
  });
  const relation = { type: input.type, issue, related };
  const same = await existing(write, relation);
  if (same) return same;
  await check(write, relation);
  const id = input.id ?? newId();
  create(write, "IssueRelation", { id, type: input.type, issueId: issue.id, relatedIssueId: related.id });
  await apply(write, relation);
  return { id };
});

/** Changes what a relation says, or of which issues. @throws conflict when there is one like that already */
export async function issueRelationUpdate(write: Write, input: IssueRelationUpdate, args: { id: string }) {
  const before = await target(write, "IssueRelation", args.id);
  const { issueId: issue, relatedIssueId: related } = await references(write, {
    issueId: ["Issue", input.issueId ?? before.issueId],
    relatedIssueId: ["Issue", input.relatedIssueId ?? before.relatedIssueId],
  });
  const relation = { type: input.type ?? (before.type as RelationType), issue, related };
  const same = await existing(write, relation);
  if (same?.id === before.id) return { id: before.id };
  if (same) throw conflict("the issues have a relation like that already; delete this one instead");
  await check(write, relation, before.id);
  const { type } = relation;
  update(write, "IssueRelation", before, { type, issueId: issue.id, relatedIssueId: related.id });
  keepReadiness(write, [before.issueId, before.relatedIssueId]);
  await apply(write, relation);
  return { id: before.id };
}

/** Deletes a relation; the issues stay as they are. */
export async function issueRelationDelete(write: Write, { id }: { id: string }) {
  const before = await target(write, "IssueRelation", id);
  remove(write, "IssueRelation", before);
  keepReadiness(write, [before.issueId, before.relatedIssueId]);
  return { id: before.id };
}

async function check(write: Write, { type, issue, related }: Relation, except?: string): Promise<void> {
  if (issue.id === related.id) throw inputError("relatedIssueId: an issue has no relation to itself", "relatedIssueId");
  if (type === "blocks") await refuseCircle(write, { issue, related, except });
}

/** Writes what a new relation changes of its issues. */
async function apply(write: Write, { type, issue, related }: Relation): Promise<void> {
  if (type === "blocks") keepReadiness(write, [issue.id, related.id]);
  if (type !== "duplicate" || issue.stateType === "duplicate") return;
  const state = await firstState(write, issue.teamId, "duplicate");
  changeIssue(write, issue, stateStamps(write, state, issue));
}

/** These say the same in both directions. */
const MUTUAL: readonly RelationType[] = ["related", "similar"];

async function existing(write: Write, { type, issue, related }: Relation): Promise<{ id: string } | undefined> {
  const { organizationId } = write.scope;
  const ends = [`${issue.id} ${related.id}`, ...(MUTUAL.includes(type) ? [`${related.id} ${issue.id}`] : [])];
  const added = addedRows(write, "issueRelation").find(
    (row) => row.type === type && ends.includes(`${row.issueId} ${row.relatedIssueId}`),
  );
  if (added) return { id: String(added.id) };
  // A new issue has no relations but new ones.
  if (addedRows(write, "issue").some(({ id }) => id === issue.id || id === related.id)) return undefined;
  const values = { organizationId, type, mutual: MUTUAL.includes(type), one: issue.id, other: related.id };
  const [found] = await write.trx.query<{ id: string }>(same(values));
  return found;
}

const same = compiled(
  "same-relation",
  ["organizationId", "type", "mutual", "one", "other"],
  (given) =>
    knex("issueRelation")
      .where({ organizationId: given.organizationId, type: given.type })
      .whereRaw(
        `("issueId", "relatedIssueId") in ((?::uuid, ?::uuid),
        (case when ?::boolean then ?::uuid end, case when ?::boolean then ?::uuid end))`,
        [given.one, given.other, given.mutual, given.other, given.mutual, given.one],
      )
      .limit(1)
      .select("id"),
  { reads: ["issueRelation"] },
);
