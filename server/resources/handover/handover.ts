import { target } from "../../write/find.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { readHandover } from "./read.ts";
import { handoverText } from "./text.ts";

/** Raw SQL: the text of one issue, written over what there was. */
const STORE = `insert into "issueHandover" ("organizationId", id, text, "writtenAt") values ($1, $2, $3, $4)
  on conflict ("organizationId", id) do update set text = excluded.text, "writtenAt" = excluded."writtenAt"`;
const DROP = `delete from "issueHandover" where "organizationId" = $1 and id = $2`;

/** Writes the handover of an issue from what is recorded of its sessions by now; of none there is none. */
export async function writeHandover(
  write: Write,
  issue: Pick<Found<"Issue">, "id" | "identifier" | "title">,
): Promise<void> {
  const material = await readHandover(write, issue.id);
  const key = [write.scope.organizationId, issue.id];
  const statement = material
    ? { text: STORE, values: [...key, handoverText(issue, material), write.at] }
    : { text: DROP, values: key };
  write.direct = true;
  await write.trx.query({ ...statement, reads: [], writes: ["issueHandover"] });
}

/** Writes it when it is asked for: events may have come after the lease ended. */
export async function issueHandover(write: Write, { id }: { id: string }) {
  const issue = await target(write, "Issue", id);
  await writeHandover(write, issue);
  return { id: issue.id };
}
