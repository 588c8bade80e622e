import type { Database } from "../../../db/open.ts";
import type { Runtime } from "../../runtime.ts";
import type { Claimed } from "./claim.ts";

/**
 * Gives back claims that a stopping server could not finish: another process, or the next start, sends them at once.
 * Raw SQL, since each row is compared with a lease of its own.
 */
export async function releaseClaims({ db, log }: Runtime, claims: readonly Claimed[]): Promise<void> {
  const organizations = new Set(claims.map(({ organizationId }) => organizationId));
  for (const id of organizations) {
    const own = claims.filter(({ organizationId }) => organizationId === id);
    await release(db, id, own).catch((error) =>
      log.warn({ err: error }, "claims not given back; they run out by themselves"),
    );
  }
}

const release = (db: Database, organizationId: string, claims: readonly Claimed[]) =>
  db.query({
    text: `update delivery d set "leasedUntil" = null, "nextAttemptAt" = $4
             from unnest($2::uuid[], $3::timestamptz[]) as l(id, lease)
            where d."organizationId" = $1 and d.id = l.id and d."leasedUntil" = l.lease`,
    values: [organizationId, claims.map(({ id }) => id), claims.map(({ leasedUntil }) => leasedUntil), new Date()],
  });
