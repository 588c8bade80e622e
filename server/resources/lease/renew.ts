import { conflict } from "../../errors.ts";
import { target } from "../../write/find.ts";
import type { Write } from "../../write/write.ts";
import { checkFence, heldBy } from "./fence.ts";
import { checkSeconds } from "./input.ts";

interface Args {
  id: string;
  fence?: number | null;
  ttlSeconds?: number | null;
}

/**
 * Raw SQL: the time is the database's. Read before it is written: where tables lie on several nodes, an update takes no clock.
 */
const TIMES = `select n.seconds, n.at, n.at + make_interval(secs => n.seconds) as until,
    case when n."sessionId" is null then n.at + make_interval(secs => n.seconds / 2.0)
      else least(n."checkAt", n.at + make_interval(secs => n.seconds / 20.0)) end as next
  from (select clock_timestamp() as at, coalesce($3::integer, "ttlSeconds") as seconds, "sessionId", "checkAt" from "issueLease"
    where "organizationId" = $1 and id = $2) n`;

const RENEW = `update "issueLease" set "ttlSeconds" = $3, "renewedAt" = $4, "expiresAt" = $5, "checkAt" = $6
  where "organizationId" = $1 and id = $2`;

interface Times {
  seconds: number;
  at: Date;
  until: Date;
  next: Date;
}

/** Makes a lease last for its time anew, from now. It is no change. @throws conflict when the fence is stale */
export async function issueRenew(write: Write, { id, fence, ttlSeconds }: Args) {
  const issue = await target(write, "Issue", id);
  await checkFence(write, issue, fence);
  if (!issue.leased) throw conflict(await heldBy(write, issue));
  const lease = [write.scope.organizationId, issue.id];
  const [times] = await write.trx.query<Times>({
    name: "lease-times",
    text: TIMES,
    values: [...lease, checkSeconds(ttlSeconds) ?? null],
  });
  if (times) {
    const { seconds, at, until, next } = times;
    await write.trx.query({ name: "renew-lease", text: RENEW, values: [...lease, seconds, at, until, next] });
  }
  write.direct = true;
  return { id: issue.id };
}
