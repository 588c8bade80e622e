import type { Database } from "../../db/open.ts";
import { type Cache, createCache, weakMemoize } from "../cache.ts";
import type { Principal } from "./principal.ts";

/**
 * Lifetime of an entry, in ms. A server notices a revocation on another server only after this time, and must notice
 * within 1 s. The rest of the second is left for the query.
 */
const FRESH_MS = 600;

/**
 * Recently resolved credentials, by the text of the credential. Each database has a separate cache: two servers in one
 * process share no entries.
 */
export interface CredentialCache {
  fresh: Cache<Principal>;
  /**
   * Counter that every revocation on this server increases. If the counter changed during a query, the result of the
   * query is not cached.
   */
  revocations: number;
}

/** Estimated size of a principal in bytes. Measured: a principal takes 320 bytes, including its ids. */
const PRINCIPAL_BYTES = 400;

export const credentialCache = weakMemoize(
  (_: Database): CredentialCache => ({
    fresh: createCache<Principal>({ name: "credentials", sizeOf: () => PRINCIPAL_BYTES, ttl: FRESH_MS }),
    revocations: 0,
  }),
);

/**
 * Call after every commit that revokes or weakens a credential: a deleted key, a revoked login, a removed member or a
 * changed role. After the call, the server reads credentials from the database again.
 */
export function invalidateCredentialCache(db: Database): void {
  const cache = credentialCache(db);
  cache.revocations += 1;
  cache.fresh.clear();
}
