import { inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { createRow, updateRow } from "../../write/change.ts";
import { findRowOrThrow } from "../../write/find.ts";
import { loadRows } from "../../write/load.ts";
import { findReferenced, type ImportBatch, type ImportOutcome } from "./batch.ts";
import type { ImportRow, ValidImportRow } from "./input.ts";

/** Existing relations, and the issues that each issue blocks. */
export interface RelationNetwork {
  /** Ids by type and issues. */
  known: Map<string, string>;
  blocks: Map<string, string[]>;
  /** Issues with changed blockers. */
  touched: Set<string>;
}

type Edge = { id: string; type: string; issueId: string; relatedIssueId: string };
const edgeKey = (type: string, one: string, other: string) => `${type} ${one} ${other}`;

/**
 * Reads the relations between the issues that rows relate. If a row adds a `blocks` relation, also reads all issues
 * that the related issues block, directly or indirectly. Called once per request.
 */
export async function loadRelationNetwork(
  batch: ImportBatch,
  rows: readonly ValidImportRow[],
): Promise<RelationNetwork> {
  const network: RelationNetwork = { known: new Map(), blocks: new Map(), touched: new Set() };
  const relations = rows.flatMap(({ kind, fields }) => (kind === "relation" ? [fields] : []));
  if (relations.length === 0) return network;
  const idOf = (ref: string) => batch.issues.get(`${batch.source}:${ref}`) ?? batch.issues.get(ref.toLowerCase());
  const ones = relations.map(({ issue }) => idOf(issue) ?? null);
  const others = relations.map(({ relatedIssue }) => idOf(relatedIssue) ?? null);
  for (const edge of await between(batch, ones, others)) remember(network, edge);
  if (!relations.some(({ type }) => type === "blocks")) return network;
  for (const { issueId, relatedIssueId } of await downstream(batch, others)) join(network, issueId, relatedIssueId);
  return network;
}

function remember({ known }: RelationNetwork, { id, type, issueId, relatedIssueId }: Edge): void {
  known.set(edgeKey(type, issueId, relatedIssueId), id);
  // Relations of the types `related` and `similar` are symmetric.
  if (type === "related" || type === "similar") known.set(edgeKey(type, relatedIssueId, issueId), id);
}

function join({ blocks }: RelationNetwork, one: string, other: string): void {
  const all = blocks.get(one);
  if (all) all.push(other);
  else blocks.set(one, [other]);
}

/** Raw SQL: pairs as lists. */
const between = ({ write }: ImportBatch, ones: readonly unknown[], others: readonly unknown[]) =>
  write.trx.query<Edge>({
    name: "relations-between",
    text: `with w as (select * from unnest($2::uuid[], $3::uuid[]) w (one, other))
      select r.id, r.type, r."issueId", r."relatedIssueId" from w join "issueRelation" r
        on r."organizationId" = $1 and r."issueId" = w.one and r."relatedIssueId" = w.other
      union select r.id, r.type, r."issueId", r."relatedIssueId" from w join "issueRelation" r
        on r."organizationId" = $1 and r."issueId" = w.other and r."relatedIssueId" = w.one`,
    values: [write.scope.organizationId, ones, others],
    reads: ["issueRelation"],
    writes: [],
  });

/** Raw SQL: a recursive query that follows `blocks` relations from the given issues to the issues that they block. */
const downstream = ({ write }: ImportBatch, ids: readonly unknown[]) =>
  write.trx.query<{ issueId: string; relatedIssueId: string }>({
    name: "blocked-downstream",
    text: `with recursive down ("issueId", "relatedIssueId") as (
        select "issueId", "relatedIssueId" from "issueRelation"
          where "organizationId" = $1 and "issueId" = any($2::uuid[]) and type = 'blocks'
        union select r."issueId", r."relatedIssueId" from "issueRelation" r join down on r."issueId" = down."relatedIssueId"
          where r."organizationId" = $1 and r.type = 'blocks')
      select * from down`,
    values: [write.scope.organizationId, ids],
    reads: ["issueRelation"],
    writes: [],
  });

/**
 * Relates two issues, unless the relation exists. States of issues stay unchanged. @throws inputError if `blocks`
 * relations would form a cycle
 */
export function importRelation(
  batch: ImportBatch,
  fields: ImportRow<"relation">,
  network: RelationNetwork,
): ImportOutcome {
  const { type } = fields;
  const issueId = findReferenced(batch.issues, batch, { field: "issue", what: "issue", ref: fields.issue });
  const relatedIssueId = findReferenced(batch.issues, batch, {
    field: "relatedIssue",
    what: "issue",
    ref: fields.relatedIssue,
  });
  if (issueId === relatedIssueId)
    throw inputError("an issue cannot have a relation to itself; remove the row", "relatedIssue");
  const there = network.known.get(edgeKey(type, issueId, relatedIssueId));
  if (there) return { status: "exists", entityId: there };
  if (type === "blocks") {
    checkCircle(network, fields, issueId, relatedIssueId);
    join(network, issueId, relatedIssueId);
    network.touched.add(issueId).add(relatedIssueId);
  }
  const id = fields.id ?? newId();
  const { createdAt, updatedAt } = fields;
  createRow(batch.write, "IssueRelation", {
    id,
    type,
    issueId,
    relatedIssueId,
    createdAt,
    updatedAt: updatedAt ?? createdAt,
  });
  remember(network, { id, type, issueId, relatedIssueId });
  return { status: "created", entityId: id };
}

function checkCircle(
  { blocks }: RelationNetwork,
  fields: ImportRow<"relation">,
  issueId: string,
  relatedIssueId: string,
): void {
  const seen = new Set([relatedIssueId]);
  for (const id of seen) for (const next of blocks.get(id) ?? []) seen.add(next);
  if (!seen.has(issueId)) return;
  const { issue, relatedIssue } = fields;
  throw inputError(
    `${issue} and ${relatedIssue} would block each other in a circle; remove one relation`,
    "relatedIssue",
  );
}

/** Parents of issues, by the issue's id. */
export type ParentMap = Map<string, string>;

/** Loads the issues for which rows set a parent, and returns the ancestors of the parents. Called once per request. */
export async function loadIssueParents(batch: ImportBatch, rows: readonly ValidImportRow[]): Promise<ParentMap> {
  const pairs = rows.flatMap(({ kind, fields }) => (kind === "parent" ? [fields] : []));
  const idOf = (ref: string) => batch.issues.get(`${batch.source}:${ref}`) ?? batch.issues.get(ref.toLowerCase());
  const ids = (end: "issue" | "parent") => [...new Set(pairs.flatMap((pair) => idOf(pair[end]) ?? []))];
  if (pairs.length === 0) return new Map();
  await loadRows(
    batch.write,
    ids("issue").map((id) => ["Issue", id] as const),
  );
  return new Map((await ancestors(batch, ids("parent"))).map(({ id, parentId }) => [id, parentId]));
}

/** Raw SQL: a recursive query from issues to all their ancestors. */
const ancestors = ({ write }: ImportBatch, ids: readonly string[]) =>
  write.trx.query<{ id: string; parentId: string }>({
    name: "ancestors",
    text: `with recursive up (id, "parentId") as (
        select id, "parentId" from issue where "organizationId" = $1 and id = any($2::uuid[])
        union select i.id, i."parentId" from issue i join up on i.id = up."parentId" where i."organizationId" = $1)
      select id, "parentId" from up where "parentId" is not null`,
    values: [write.scope.organizationId, ids],
    reads: ["issue"],
    writes: [],
  });

/**
 * Sets the parent of an issue, unless the issue has a parent. @throws inputError with the path if the parents would
 * form a cycle
 */
export async function importParent(
  batch: ImportBatch,
  fields: ImportRow<"parent">,
  above: ParentMap,
): Promise<ImportOutcome> {
  const id = findReferenced(batch.issues, batch, { field: "issue", what: "issue", ref: fields.issue });
  const parentId = findReferenced(batch.issues, batch, { field: "parent", what: "issue", ref: fields.parent });
  const before = await findRowOrThrow(batch.write, "Issue", id);
  if (before.parentId || above.has(id)) return { status: "exists", entityId: id };
  for (let up: string | undefined = parentId; up; up = above.get(up)) {
    if (up !== id) continue;
    throw inputError(
      `${fields.issue} would be its own ancestor through ${fields.parent}; remove one of the parents`,
      "parent",
    );
  }
  above.set(id, parentId);
  // Setting the parent does not change the issue's `updatedAt`, which the issue's own imported row may have set.
  updateRow(batch.write, "Issue", before, { parentId }, { updatedAt: before.updatedAt });
  return { status: "created", entityId: id };
}
