import { dropLinks, update } from "../../write/change.ts";
import { target } from "../../write/find.ts";
import type { Write } from "../../write/write.ts";
import { isOpenSql } from "../issue/readiness.ts";

const lease = `exists (select from "issueLease" l where l."organizationId" = $1 and l.id = i.id`;
/** SQL of whether an issue `i` is held: it is open, and the holder of its lease is its assignee or delegate. */
const held = `(${isOpenSql("i")} and ${lease} and l."holderId" in (i."assigneeId", i."delegateId")))`;

/** Raw SQL: a comparison. Which of the issues $2 say otherwise than their leases, or have one that should have ended. */
export const LEASES_DIFFER = `select i.id, ${held} as held from issue i where i."organizationId" = $1 and i.id = any($2::uuid[])
  and (i.leased <> ${held} or (${lease}) and not ${held}))`;

/** Has issues say what their leases do, and ends leases of what is closed or somebody else's. Followers see who holds them. */
export async function repairLeases(write: Write, ids: readonly string[]): Promise<void> {
  const values = [write.scope.organizationId, ids];
  const differing = { text: LEASES_DIFFER, values, reads: ["issue", "issueLease"], writes: [] };
  for (const { id, held } of await write.trx.query<{ id: string; held: boolean }>(differing)) {
    const issue = await target(write, "Issue", id);
    const { holderId } = issue;
    if (!held) dropLinks(write, "issueLease", { id });
    const also = { holderId: held ? { before: null, after: holderId } : { before: holderId, after: null } };
    update(write, "Issue", issue, { leased: held }, { also, ...(!held && { event: "leaseExpired" }) });
  }
}
