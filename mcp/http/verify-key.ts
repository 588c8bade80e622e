import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { createGraphqlClient } from "../api/graphql.ts";
import { TEAM } from "../documents/team.ts";
import { KeyRefused } from "../errors.ts";

/** Digests of keys that were accepted lately. One that is deleted meanwhile is refused at its next call. */
const accepted = new LRUCache<string, true>({ max: 1_000, ttl: 60_000 });

/**
 * True if Trackway refuses the key. Asked at the first request of a client, so that a wrong key is known before the
 * first call of a tool. A Trackway that is out of reach refuses nothing.
 */
export async function isKeyRefused(url: string, key: string, signal: AbortSignal): Promise<boolean> {
  const digest = createHash("sha256").update(url).update(key).digest("base64");
  if (accepted.has(digest)) return false;
  try {
    await createGraphqlClient({ url, key, signal })(TEAM.viewer);
    accepted.set(digest, true);
    return false;
  } catch (error) {
    return error instanceof KeyRefused;
  }
}
