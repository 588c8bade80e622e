import { conflict } from "../../errors.ts";
import { findRowOrThrow } from "../../write/find.ts";
import type { WriteContext } from "../../write/write.ts";
import { linkSession } from "../issue-session/link.ts";
import { checkFence, describeHolder, readLease } from "./fence.ts";
import { validateSessionReference, validateTtlSeconds } from "./input.ts";

interface Args {
  id: string;
  fence?: number | null;
  sessionId?: string | null;
  ttlSeconds?: number | null;
}

/**
 * Raw SQL: uses the time of the database. The time is read before the update, because on Citus an update cannot read
 * the clock.
 */
const TIMES = `select n.seconds, n.at, n.at + make_interval(secs => n.seconds) as until,
    n.at + make_interval(secs => n.seconds) > n."expiresAt" as longer,
    case when n."sessionId" is null then n.at + make_interval(secs => n.seconds / 2.0)
      else least(n."checkAt", n.at + make_interval(secs => n.seconds / 20.0)) end as next
  from (select clock_timestamp() as at, coalesce($3::integer, "ttlSeconds") as seconds, "sessionId", "checkAt", "expiresAt" from "issueLease"
    where "organizationId" = $1 and id = $2) n`;

const RENEW = `update "issueLease" set "ttlSeconds" = $3, "renewedAt" = $4, "expiresAt" = $5, "checkAt" = $6, "sessionId" = $7
  where "organizationId" = $1 and id = $2`;

interface Times {
  seconds: number;
  at: Date;
  until: Date;
  next: Date;
  longer: boolean;
}

/**
 * Renews a lease: the lease expires one lifetime after the current time. Only the holder, who sends the fence or the
 * session, may extend a lease; other callers may only shorten a lease. If the lease has no session and the holder sends
 * the fence and a session, the lease gets this session. Renewals are not in the change log.
 * @throws conflict if the fence is stale, or if the lease of another user would be extended
 */
export async function issueRenew(write: WriteContext, { id, fence, sessionId, ttlSeconds }: Args) {
  const issue = await findRowOrThrow(write, "Issue", id);
  await checkFence(write, issue, fence);
  const lease = await readLease(write, issue);
  const named = sessionId === null || sessionId === undefined ? undefined : validateSessionReference(sessionId);
  const shows = fence !== null && fence !== undefined;
  const binds = named !== undefined && shows && lease?.sessionId === null && lease.holderId === write.scope.userId;
  const isOther = named !== undefined && named !== lease?.sessionId && !binds;
  if (!lease || isOther || (lease.trippedBy !== null && !shows)) throw conflict(describeHolder(issue, lease));
  const key = [write.scope.organizationId, issue.id];
  const values = [...key, validateTtlSeconds(ttlSeconds) ?? null];
  const [times] = await write.trx.query<Times>({
    name: "lease-times",
    text: TIMES,
    values,
    reads: ["issueLease"],
    writes: [],
  });
  if (times) {
    const { seconds, at, until, next, longer } = times;
    if (longer && !((shows || named !== undefined) && lease.holderId === write.scope.userId)) {
      throw conflict(`${describeHolder(issue, lease)}; ${NOT_LONGER}`);
    }
    await write.trx.query({
      name: "renew-lease",
      text: RENEW,
      values: [...key, seconds, at, until, binds ? at : next, binds ? named : lease.sessionId],
      reads: [],
      writes: ["issueLease"],
    });
  }
  if (binds) await linkSession(write, issue.id, named, "claimed");
  write.direct = true;
  return { id: issue.id };
}

const NOT_LONGER =
  "its holder renews it, with its fence or its session; anybody else may shorten it, by ttlSeconds, or release it";
