import { knex, toStatement } from "../../../db/builder.ts";
import { removeForGood } from "../../write/deletion/remove-for-good.ts";
import { target } from "../../write/find.ts";
import type { Write } from "../../write/write.ts";
import { archive } from "../archive.ts";
import { changeIssue } from "./change.ts";
import { keepReadiness } from "./readiness.ts";

/** Moves an issue to the trash; `permanentlyDelete`, for owners, removes it at once. */
export async function issueDelete(
  write: Write,
  { id, permanentlyDelete }: { id: string; permanentlyDelete?: boolean | null },
) {
  const before = await target(write, "Issue", id);
  if (!permanentlyDelete) archive(write, "Issue", before, true, changeIssue);
  else {
    keepReadiness(write, await neighbours(write, before.id));
    await removeForGood(write, "Issue", before, before.trashed ? "silent" : undefined);
  }
  return { id: before.id };
}

/** The issues that one is related to, in either direction. */
async function neighbours({ scope, trx }: Write, issueId: string): Promise<string[]> {
  const { organizationId } = scope;
  const of = (column: string, other: string) =>
    knex("issueRelation")
      .where({ organizationId, [column]: issueId })
      .select({ id: other });
  const both = of("issueId", "relatedIssueId").union(of("relatedIssueId", "issueId"));
  return (await trx.query<{ id: string }>(toStatement(both))).map(({ id }) => id);
}
