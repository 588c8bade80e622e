import type { Database } from "../../db/open.ts";
import { type Cache, createCache, weakMemoize } from "../cache.ts";
import type { Principal } from "./principal.ts";

/**
 * The life of an entry, in ms. A revocation on another instance is only noticed after it, and must be within 1 s; the
 * rest of that second is left to the query itself.
 */
const FRESH_MS = 600;

/** Credentials looked up a moment ago, by their text. One per database, so that two servers in a process share nothing. */
export interface CredentialCache {
  fresh: Cache<Principal>;
  /** Raised by every revocation here, so that a query begun before one is not kept after it. */
  revocations: number;
}

/** Measured: a principal takes 320 bytes, its ids included. */
const PRINCIPAL_BYTES = 400;

/** The cache that belongs to a database. */
export const credentialCache = weakMemoize(
  (_: Database): CredentialCache => ({
    fresh: createCache<Principal>({ name: "credentials", sizeOf: () => PRINCIPAL_BYTES, ttl: FRESH_MS }),
    revocations: 0,
  }),
);

/**
 * Call after every committed change that ends or weakens a credential: a deleted key, an ended login, a member removed
 * or given another role. From then on this instance asks the database anew.
 */
export function credentialsRevoked(db: Database): void {
  const cache = credentialCache(db);
  cache.revocations += 1;
  cache.fresh.clear();
}
