import type { Database } from "../../db/open.ts";
import type { Principal } from "./principal.ts";

type Held = Pick<Principal, "kind" | "credentialId" | "accountId" | "organizationId">;

/**
 * Which of the credentials that open sockets hold are still good: one query for all of them, read from the database and
 * no cache. Asked every 500 ms it closes a revoked one's socket within the second (decisions §5).
 * Expiry is the holder's to check.
 * @returns the `credentialId`s that still open their organization.
 */
export async function liveCredentials(db: Database, held: readonly Held[]): Promise<Set<string>> {
  if (held.length === 0) return new Set();
  const keys = held.filter((one) => one.kind === "key");
  const tokens = held.filter((one) => one.kind === "token");
  const rows = await db.query<{ id: string }>({
    text: `select k.id from "apiKey" k
             join "user" u on u."organizationId" = k."organizationId" and u.id = k."userId" and u.active
            where k.id = any($1::uuid[])
           union all
           select l.id from unnest($2::uuid[], $3::uuid[]) as held("loginId", "organizationId")
             join login l on l.id = held."loginId" and l."revokedAt" is null
             join "user" u on u."organizationId" = held."organizationId" and u."accountId" = l."accountId" and u.active`,
    values: [
      keys.map((one) => one.credentialId),
      tokens.map((one) => one.credentialId),
      tokens.map((one) => one.organizationId),
    ],
  });
  return new Set(rows.map((row) => row.id));
}
