import { inputError } from "../../errors.ts";
import { toEntityReferences } from "../../write/find.ts";
import { type EntityReference, loadRows } from "../../write/load.ts";
import type { WriteContext } from "../../write/write.ts";
import { issueRelationCreate } from "../relation/write.ts";
import { issueCreate } from "./create.ts";
import { type IssueBatchCreate, type IssueCreate, type IssueUpdate, MAX_BATCH } from "./input.ts";
import { collectIssueReferences } from "./references.ts";
import { issueUpdate } from "./update.ts";

/**
 * Creates several issues and their relations, all or none. Issues are numbered in the order of the input. A parent or
 * relation may reference an earlier issue by the id in the input.
 */
export async function issueBatchCreate(write: WriteContext, { issues, relations }: IssueBatchCreate) {
  await loadRows(write, issues.flatMap(referred));
  const ids: string[] = [];
  for (const input of issues) ids.push(String((await issueCreate(write, input)).id));
  for (const input of relations ?? []) await issueRelationCreate(write, input);
  return { ids };
}

/** Makes the same changes to several issues, all or none. */
export async function issueBatchUpdate(write: WriteContext, input: IssueUpdate, { ids }: { ids: readonly string[] }) {
  if (ids.length === 0 || ids.length > MAX_BATCH) {
    throw inputError(`ids must name 1 to ${MAX_BATCH} issues; there are ${ids.length}`, "ids");
  }
  const each = [...new Set(ids)];
  await loadRows(write, [...each.map((id) => ["Issue", id] as const), ...referred(input)]);
  const updated: string[] = [];
  for (const id of each) updated.push((await issueUpdate(write, id, input)).id);
  return { ids: updated };
}

const referred = (input: IssueCreate | IssueUpdate): EntityReference[] =>
  toEntityReferences(collectIssueReferences(input));
