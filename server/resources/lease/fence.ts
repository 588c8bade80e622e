import { conflict } from "../../errors.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";

/**
 * Refuses a write of somebody who held the issue once: whoever sends a fence says that they hold it now. A write without
 * one is a person's.
 * @throws conflict naming who holds it
 */
export async function checkFence(write: Write, issue: Found<"Issue">, fence: number | null | undefined): Promise<void> {
  if (fence === null || fence === undefined) return;
  if (issue.leased && issue.fence === fence) return;
  throw conflict(`fence ${fence} is stale: ${await heldBy(write, issue)}`);
}

/** Who holds an issue, in words. Raw SQL: the times as the database spells them in JSON. */
export async function heldBy(write: Write, issue: Found<"Issue">): Promise<string> {
  const { organizationId } = write.scope;
  const [held] = await write.trx.query<{ name: string; since: string; until: string }>({
    name: "held-by",
    text: `select u.name, to_json(l."grantedAt") #>> '{}' as since, to_json(l."expiresAt") #>> '{}' as until
      from "issueLease" l join "user" u on u."organizationId" = l."organizationId" and u.id = l."holderId"
      where l."organizationId" = $1 and l.id = $2`,
    values: [organizationId, issue.id],
  });
  if (!held) return `nobody holds ${issue.identifier} now; look at it, and claim it again to go on`;
  return `${held.name} holds ${issue.identifier} since ${held.since}, until ${held.until} unless renewed`;
}
