import type { Runtime } from "../../runtime.ts";
import type { Claimed } from "./claim.ts";

/**
 * Gives back claims that a stopping server could not finish: another process, or the next start, sends them at once.
 * Raw SQL, since each row is compared with a lease of its own.
 */
export async function releaseClaims({ db, log }: Runtime, claims: readonly Claimed[]): Promise<void> {
  if (claims.length === 0) return;
  await db
    .query({
      text: `update delivery d set "leasedUntil" = null, "nextAttemptAt" = $3
               from unnest($1::uuid[], $2::timestamptz[]) as l(id, lease)
              where d.id = l.id and d."leasedUntil" = l.lease`,
      values: [claims.map(({ id }) => id), claims.map(({ leasedUntil }) => leasedUntil), new Date()],
    })
    .catch((error) => log.warn({ err: error }, "claims not given back; they run out by themselves"));
}
