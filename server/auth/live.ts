import type { Database } from "../../db/open.ts";
import { allowsPasswordsSql, type Principal } from "./principal.ts";

type Held = Pick<Principal, "kind" | "credentialId" | "accountId" | "organizationId" | "oidc">;

/** A credential that is not revoked, and its owner: a user of the organization, or an account. */
interface Owned {
  id: string;
  organizationId: string;
  ownerId: string;
  oidc?: boolean;
}

/**
 * Checks which credentials of open sockets are still valid. Reads the database without a cache. Realtime calls the
 * function every 400 ms, so that the socket of a revoked credential closes within a second. The caller checks expiry.
 * If the database node of a credential is unavailable, the credential counts as valid until the node responds;
 * credentials on other nodes are still checked.
 * @returns a function that returns true if a credential of `held` still gives access to its organization.
 */
export async function createLiveCredentialCheck(db: Database, held: readonly Held[]): Promise<(one: Held) => boolean> {
  const grants = held.filter((one) => one.kind === "oauth");
  const candidates = { ...(await unrevoked(db, held)), grants };
  const live = new Set<string>();
  const unknown = new Set<string | null>();
  const look = async (organizationIds: (string | null)[]) => {
    for (const row of await members(db, candidates, organizationIds)) live.add(`${row.id} ${row.organizationId}`);
  };
  const organizationIds = [...new Set(held.map((one) => one.organizationId))];
  if (held.length > 0) {
    await look(organizationIds).catch(async (error) => {
      if (organizationIds.length === 1) throw error;
      for (const id of organizationIds) await look([id]).catch(() => unknown.add(id));
      if (unknown.size === organizationIds.length) throw error;
    });
  }
  return (one) => unknown.has(one.organizationId) || live.has(`${one.credentialId} ${one.organizationId}`);
}

interface Candidates {
  keys: Owned[];
  tokens: Owned[];
  grants: readonly Held[];
}

/**
 * Returns the keys that still exist and the logins that are not revoked. Every database node stores all keys and
 * logins. Raw SQL: two lists and two tables.
 */
async function unrevoked(db: Database, held: readonly Held[]): Promise<Omit<Candidates, "grants">> {
  const idsOf = (kind: Held["kind"]) => held.filter((one) => one.kind === kind).map((one) => one.credentialId);
  if (idsOf("key").length + idsOf("token").length === 0) return { keys: [], tokens: [] };
  const rows = await db.query<{ id: string; organizationId: string | null; ownerId: string }>({
    name: "unrevoked-credentials",
    text: `select id, "organizationId", "userId" as "ownerId" from "apiKey" where id = any($1::uuid[])
      union all select id, null, "accountId" from login where id = any($2::uuid[]) and "revokedAt" is null`,
    values: [idsOf("key"), idsOf("token")],
  });
  const accounts = new Map(rows.filter((row) => row.organizationId === null).map((row) => [row.id, row.ownerId]));
  const tokens = held.flatMap(({ kind, credentialId: id, organizationId, oidc = false }) => {
    const ownerId = kind === "token" ? accounts.get(id) : undefined;
    return ownerId && organizationId ? [{ id, organizationId, ownerId, oidc }] : [];
  });
  return { keys: rows.filter((row): row is Owned => row.organizationId !== null), tokens };
}

/**
 * Returns the keys and logins that belong to active members, and the OAuth grants of active members that still exist.
 * Raw SQL: joins lists with tables.
 */
function members(db: Database, { keys, tokens, grants }: Candidates, organizationIds: readonly (string | null)[]) {
  const lists = (owned: readonly Owned[]) => [
    owned.map(({ id }) => id),
    owned.map(({ organizationId }) => organizationId),
    owned.map(({ ownerId }) => ownerId),
    owned.map(({ oidc = true }) => oidc),
  ];
  // On Citus, a condition with a single organization runs on that organization's node; a list runs on every node.
  const [one, ...others] = organizationIds.filter((id) => id !== null);
  const among = (column: string) => `${column} = ${others.length > 0 ? "any($1::uuid[])" : "$1::uuid"}`;
  // The subquery also needs the single organization as a parameter; otherwise Citus queries every node.
  const organization = others.length > 0 ? 'u."organizationId"' : "$1::uuid";
  const owners = (first: number, column: string) =>
    `select h.id, h."organizationId" from unnest($${first}::uuid[], $${first + 1}::uuid[], $${first + 2}::uuid[], $${first + 3}::boolean[]) as h(id, "organizationId", "ownerId", always)
       join "user" u on u."organizationId" = h."organizationId" and u."${column}" = h."ownerId" and u.active
      where ${among('u."organizationId"')} and (h.always or ${allowsPasswordsSql(organization)})`;
  return db.query<{ id: string; organizationId: string }>({
    name: others.length > 0 ? "members-of-credentials" : "members-of-credentials-in-one",
    text: `${owners(2, "id")} union all ${owners(6, "accountId")} union all
      select g.id, g."organizationId" from unnest($10::uuid[], $11::uuid[]) as h(id, "organizationId")
        join "oauthGrant" g on g."organizationId" = h."organizationId" and g.id = h.id
        join "user" u on u."organizationId" = g."organizationId" and u.id = g."userId" and u.active
       where ${among('g."organizationId"')}`,
    values: [
      others.length > 0 ? [one, ...others] : (one ?? null),
      ...lists(keys),
      ...lists(tokens),
      grants.map((one) => one.credentialId),
      grants.map((one) => one.organizationId),
    ],
  });
}
