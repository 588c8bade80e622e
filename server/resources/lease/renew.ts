import { conflict } from "../../errors.ts";
import { target } from "../../write/find.ts";
import type { Write } from "../../write/write.ts";
import { linkSession } from "../issue-session/link.ts";
import { checkFence, inWords, leaseOf } from "./fence.ts";
import { checkSeconds, checkSession } from "./input.ts";

interface Args {
  id: string;
  fence?: number | null;
  sessionId?: string | null;
  ttlSeconds?: number | null;
}

/**
 * Raw SQL: the time is the database's. Read before it is written: where tables lie on several nodes, an update takes no clock.
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
 * Makes a lease last for its time anew, from now. Its holder alone makes it longer, who shows so by its fence or its
 * session; anybody else may shorten it. The fence gives a lease without a session the one that is named. It is no change.
 * @throws conflict when the fence is stale, or somebody else's lease would last longer
 */
export async function issueRenew(write: Write, { id, fence, sessionId, ttlSeconds }: Args) {
  const issue = await target(write, "Issue", id);
  await checkFence(write, issue, fence);
  const lease = await leaseOf(write, issue);
  const named = sessionId === null || sessionId === undefined ? undefined : checkSession(sessionId);
  const shows = fence !== null && fence !== undefined;
  const binds = named !== undefined && shows && lease?.sessionId === null && lease.holderId === write.scope.userId;
  const isOther = named !== undefined && named !== lease?.sessionId && !binds;
  if (!lease || isOther || (lease.trippedBy !== null && !shows)) throw conflict(inWords(issue, lease));
  const key = [write.scope.organizationId, issue.id];
  const values = [...key, checkSeconds(ttlSeconds) ?? null];
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
      throw conflict(`${inWords(issue, lease)}; ${NOT_LONGER}`);
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
