import { dropLinks, remove, update } from "../../write/change.ts";
import { type Found, target, targets } from "../../write/find.ts";
import type { Write } from "../../write/write.ts";
import { archive } from "../archive.ts";
import { requireOwner } from "../owner.ts";

/** Other rows that one purge changes at most; what remains waits for the next. */
const SLICE = 500;

/** Moves an issue to the trash; `permanentlyDelete`, for owners, removes it at once. */
export async function issueDelete(
  write: Write,
  { id, permanentlyDelete }: { id: string; permanentlyDelete?: boolean | null },
) {
  if (permanentlyDelete) requireOwner(write);
  const before = await target(write, "Issue", id);
  if (!permanentlyDelete) archive(write, "Issue", before, true);
  else await purgeIssue(write, before, before.trashed ? "silent" : undefined);
  return { id: before.id };
}

/**
 * Removes an issue for good, with its comments and links; issues that were a part of it stand alone. The log heard of
 * it when it went to the trash, so a `silent` removal makes no change. Returns false while too much depends on it.
 */
export async function purgeIssue(write: Write, issue: Found, silent?: "silent"): Promise<boolean> {
  if (!(await detach(write, "parentId", issue.id))) return false;
  dropLinks(write, "comment", { issueId: issue.id });
  dropLinks(write, "issueLabelLink", { issueId: issue.id });
  dropLinks(write, "issueAlias", { issueId: issue.id });
  remove(write, "Issue", issue, silent);
  return true;
}

/** Empties a link of the issues that point to something about to go. Returns whether that was all of them. */
export async function detach(write: Write, link: "parentId" | "projectId", id: string): Promise<boolean> {
  const rows = await write.trx.query<{ id: string }>({
    text: `select id from issue where "organizationId" = $1 and "${link}" = $2 order by id limit ${SLICE + 1}`,
    values: [write.scope.organizationId, id],
  });
  const found = await targets(
    write,
    "Issue",
    rows.slice(0, SLICE).map((row) => row.id),
  );
  for (const each of found) update(write, "Issue", each, { [link]: null });
  return rows.length <= SLICE;
}
