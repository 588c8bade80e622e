import type { Database } from "../../db/open.ts";
import type { Principal } from "./principal.ts";

type Held = Pick<Principal, "kind" | "credentialId" | "accountId" | "organizationId">;

/**
 * Which of the credentials that open sockets hold are still good: one query for all of them, read from the database and
 * no cache. Realtime asks every 400 ms, so that a revoked credential's socket closes within a second. Expiry is the
 * caller's to check. Raw SQL: who holds what is a list beside the tables.
 * @returns whether one of `held` still opens its organization.
 */
export async function liveCredentials(db: Database, held: readonly Held[]): Promise<(one: Held) => boolean> {
  if (held.length === 0) return () => false;
  const keys = held.filter((one) => one.kind === "key");
  const tokens = held.filter((one) => one.kind === "token");
  const grants = held.filter((one) => one.kind === "oauth");
  const rows = await db.query<{ id: string; organizationId: string }>({
    text: `select k.id, k."organizationId" from "apiKey" k
             join "user" u on u."organizationId" = k."organizationId" and u.id = k."userId" and u.active
            where k.id = any($1::uuid[])
           union all
           select l.id, held."organizationId" from unnest($2::uuid[], $3::uuid[]) as held("loginId", "organizationId")
             join login l on l.id = held."loginId" and l."revokedAt" is null
             join "user" u on u."organizationId" = held."organizationId" and u."accountId" = l."accountId" and u.active
           union all
           select g.id, g."organizationId" from "oauthGrant" g
             join "user" u on u."organizationId" = g."organizationId" and u.id = g."userId" and u.active
            where (g."organizationId", g.id) in (select * from unnest($4::uuid[], $5::uuid[]))`,
    values: [
      keys.map((one) => one.credentialId),
      tokens.map((one) => one.credentialId),
      tokens.map((one) => one.organizationId),
      grants.map((one) => one.organizationId),
      grants.map((one) => one.credentialId),
    ],
  });
  const live = new Set(rows.map((row) => `${row.id} ${row.organizationId}`));
  return (one) => live.has(`${one.credentialId} ${one.organizationId}`);
}
