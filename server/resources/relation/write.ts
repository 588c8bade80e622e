import { definePreparedStatement, knex } from "../../../db/builder.ts";
import { AppError, conflict, inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { createRow, deleteRow, updateRow } from "../../write/change.ts";
import { findReferencedRows, findRowOrThrow, findRowsOrThrow } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { LoadedRow } from "../../write/rows.ts";
import { buildRowKey, listInsertedRows, type WriteContext } from "../../write/write.ts";
import { changeIssue } from "../issue/change.ts";
import { updateReadiness } from "../issue/readiness.ts";
import { firstState, stateEntryColumns } from "../issue/state.ts";
import { checkHolder } from "../lease/fence.ts";
import type { IssueRelationCreate, IssueRelationUpdate, RelationType } from "./input.ts";

interface NewBlock {
  issue: LoadedRow<"Issue">;
  related: LoadedRow<"Issue">;
  /** The relation that is being replaced. */
  except?: string | undefined;
}

/** A step of the search: an issue, and the issue that blocks this issue. */
interface Step {
  id: string;
  by: string;
}

/**
 * Rejects a `blocks` relation by which an issue would block itself, directly or through other issues. The search
 * follows the issues that the related issue blocks, level by level, and visits each issue once. The reported path is
 * therefore a shortest path.
 * @throws AppError conflict with the path
 */
async function refuseCircle(write: WriteContext, { issue, related, except }: NewBlock): Promise<void> {
  const reached = new Map<string, string | undefined>([[related.id, undefined]]);
  const added = addedSteps(write);
  // An issue that this mutation creates has no stored relations, only relations that this mutation adds.
  const isNew = new Set(listInsertedRows(write, "issue").map(({ id }) => id));
  for (let level = [related.id]; level.length > 0 && !reached.has(issue.id); ) {
    const stored = level.filter((id) => !isNew.has(id));
    const steps = [
      ...added.filter(({ by }) => level.includes(by)),
      ...(stored.length > 0 ? await storedSteps(write, stored, except) : []),
    ];
    const fresh = steps.filter(({ id }) => !reached.has(id));
    for (const { id, by } of fresh) reached.set(id, by);
    level = [...new Set(fresh.map(({ id }) => id))];
  }
  if (!reached.has(issue.id)) return;
  const path = [issue.id];
  for (let by = reached.get(issue.id); by !== undefined; by = reached.get(by)) path.unshift(by);
  const names = await identifiers(write, path);
  const told = [issue.id, ...path].map((id) => names.get(id)).join(" → ");
  throw new AppError(
    "conflict",
    `they would block each other in a circle: ${told}; delete one of these relations first`,
    {
      extensions: { path: path.map((id) => names.get(id)) },
    },
  );
}

/** Returns the steps that this mutation adds, which no statement can see yet. */
const addedSteps = (write: WriteContext): Step[] =>
  listInsertedRows(write, "issueRelation")
    .filter(({ type }) => type === "blocks")
    .map(({ issueId, relatedIssueId }) => ({ id: String(relatedIssueId), by: String(issueId) }));

/** Returns the issues that the given issues block, each with a blocker. Raw SQL: a prepared statement with a list. */
const storedSteps = (
  { scope, trx }: WriteContext,
  ids: readonly string[],
  except: string | undefined,
): Promise<Step[]> =>
  trx.query<Step>({
    name: "blocked-by",
    text: `select distinct on ("relatedIssueId") "relatedIssueId" as id, "issueId" as by from "issueRelation"
      where "organizationId" = $1 and "issueId" = any($2::uuid[]) and type = 'blocks' and id is distinct from $3::uuid
      order by "relatedIssueId", "issueId"`,
    values: [scope.organizationId, ids, except ?? null],
    reads: ["issueRelation"],
    writes: [],
  });

/** Returns a name for each issue by id: the identifier or, for an issue that this mutation creates, the title. */
async function identifiers(write: WriteContext, ids: readonly string[]): Promise<Map<string, string>> {
  const { scope, trx } = write;
  const rows = await trx.query<{ id: string; name: string }>({
    text: `select i.id, t.key || '-' || i.number as name from issue i
      join team t on t."organizationId" = i."organizationId" and t.id = i."teamId"
      where i."organizationId" = $1 and i.id = any($2::uuid[])`,
    values: [scope.organizationId, ids],
    reads: ["issue", "team"],
    writes: [],
  });
  const titles = ids.map((id) => [id, String(write.rows.get(buildRowKey("Issue", id))?.["title"])] as const);
  return new Map([...titles, ...rows.map(({ id, name }) => [id, name] as const)]);
}

/** Two issues, and the type of the relation from the first issue to the second. */
interface Relation {
  type: RelationType;
  issue: LoadedRow<"Issue">;
  related: LoadedRow<"Issue">;
}

/**
 * Relates two issues. Returns an existing equal relation unchanged.
 * @throws inputError if both issues are the same; conflict if `blocks` relations would form a cycle
 */
export const issueRelationCreate = idempotentById(
  "IssueRelation",
  async (write: WriteContext, input: IssueRelationCreate) => {
    const { issueId: issue, relatedIssueId: related } = await findReferencedRows(write, {
      issueId: ["Issue", input.issueId],
      relatedIssueId: ["Issue", input.relatedIssueId],
    });
    const relation = { type: input.type, issue, related };
    const same = await existing(write, relation);
    if (same) return same;
    await checkHolders(write, issue, related);
    await check(write, relation);
    const id = input.id ?? newId();
    createRow(write, "IssueRelation", { id, type: input.type, issueId: issue.id, relatedIssueId: related.id });
    await apply(write, relation);
    return { id };
  },
);

/** Changes the type or the issues of a relation. @throws conflict if an equal relation exists */
export async function issueRelationUpdate(write: WriteContext, input: IssueRelationUpdate, args: { id: string }) {
  const before = await findRowOrThrow(write, "IssueRelation", args.id);
  const { issueId: issue, relatedIssueId: related } = await findReferencedRows(write, {
    issueId: ["Issue", input.issueId ?? before.issueId],
    relatedIssueId: ["Issue", input.relatedIssueId ?? before.relatedIssueId],
  });
  const relation = { type: input.type ?? (before.type as RelationType), issue, related };
  const same = await existing(write, relation);
  if (same?.id === before.id) return { id: before.id };
  if (same) throw conflict("the issues already have a relation of this type; delete this relation instead");
  await checkHolders(write, ...(await issuesOf(write, before)), issue, related);
  await check(write, relation, before.id);
  const { type } = relation;
  updateRow(write, "IssueRelation", before, { type, issueId: issue.id, relatedIssueId: related.id });
  updateReadiness(write, [before.issueId, before.relatedIssueId]);
  await apply(write, relation);
  return { id: before.id };
}

/** Deletes a relation. The issues stay unchanged. */
export async function issueRelationDelete(write: WriteContext, { id }: { id: string }) {
  const before = await findRowOrThrow(write, "IssueRelation", id);
  await checkHolders(write, ...(await issuesOf(write, before)));
  deleteRow(write, "IssueRelation", before);
  updateReadiness(write, [before.issueId, before.relatedIssueId]);
  return { id: before.id };
}

const issuesOf = (write: WriteContext, { issueId, relatedIssueId }: LoadedRow<"IssueRelation">) =>
  findRowsOrThrow(write, "Issue", [issueId, relatedIssueId]);

/**
 * Checks both issues of a relation, because a relation belongs to both. @throws conflict if an agent may not write to
 * an issue
 */
async function checkHolders(write: WriteContext, ...issues: readonly LoadedRow<"Issue">[]): Promise<void> {
  for (const issue of issues) await checkHolder(write, issue);
}

async function check(write: WriteContext, { type, issue, related }: Relation, except?: string): Promise<void> {
  if (issue.id === related.id)
    throw inputError("relatedIssueId: an issue cannot have a relation to itself", "relatedIssueId");
  if (type === "blocks") await refuseCircle(write, { issue, related, except });
}

/**
 * Applies the effects of a new relation to the issues: `blocks` changes which issues are ready, and `duplicate` moves
 * the issue to a state of type `duplicate`.
 */
async function apply(write: WriteContext, { type, issue, related }: Relation): Promise<void> {
  if (type === "blocks") updateReadiness(write, [issue.id, related.id]);
  if (type !== "duplicate" || issue.stateType === "duplicate") return;
  const state = await firstState(write, issue.teamId, "duplicate");
  changeIssue(write, issue, stateEntryColumns(write, state, issue));
}

/** Types of symmetric relations. */
const MUTUAL: readonly RelationType[] = ["related", "similar"];

async function existing(write: WriteContext, { type, issue, related }: Relation): Promise<{ id: string } | undefined> {
  const { organizationId } = write.scope;
  const ends = [`${issue.id} ${related.id}`, ...(MUTUAL.includes(type) ? [`${related.id} ${issue.id}`] : [])];
  const added = listInsertedRows(write, "issueRelation").find(
    (row) => row.type === type && ends.includes(`${row.issueId} ${row.relatedIssueId}`),
  );
  if (added) return { id: String(added.id) };
  // An issue that this mutation creates has no stored relations, only relations that this mutation adds.
  if (listInsertedRows(write, "issue").some(({ id }) => id === issue.id || id === related.id)) return undefined;
  const values = { organizationId, type, mutual: MUTUAL.includes(type), one: issue.id, other: related.id };
  const [found] = await write.trx.query<{ id: string }>(same(values));
  return found;
}

const same = definePreparedStatement(
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
