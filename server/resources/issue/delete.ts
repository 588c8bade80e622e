import { removeForGood } from "../../write/deletion/remove-for-good.ts";
import { target } from "../../write/find.ts";
import type { Write } from "../../write/write.ts";
import { archive } from "../archive.ts";

/** Moves an issue to the trash; `permanentlyDelete`, for owners, removes it at once. */
export async function issueDelete(
  write: Write,
  { id, permanentlyDelete }: { id: string; permanentlyDelete?: boolean | null },
) {
  const before = await target(write, "Issue", id);
  if (!permanentlyDelete) archive(write, "Issue", before, true);
  else await removeForGood(write, "Issue", before, before.trashed ? "silent" : undefined);
  return { id: before.id };
}
