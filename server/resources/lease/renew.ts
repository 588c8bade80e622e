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

/** Raw SQL: the time is the database's. */
const RENEW = `update "issueLease" l set "ttlSeconds" = n.seconds, "renewedAt" = n.at,
    "expiresAt" = n.at + make_interval(secs => n.seconds), "checkAt" = case when l."sessionId" is null then n.at + make_interval(secs => n.seconds / 2.0)
      else least(l."checkAt", n.at + make_interval(secs => n.seconds / 20.0)) end
  from (select clock_timestamp() as at, coalesce($3::integer, "ttlSeconds") as seconds from "issueLease"
    where "organizationId" = $1 and id = $2) n
  where "organizationId" = $1 and id = $2`;

/** Makes a lease last for its time anew, from now. It is no change. @throws conflict when the fence is stale */
export async function issueRenew(write: Write, { id, fence, ttlSeconds }: Args) {
  const issue = await target(write, "Issue", id);
  await checkFence(write, issue, fence);
  if (!issue.leased) throw conflict(await heldBy(write, issue));
  const values = [write.scope.organizationId, issue.id, checkSeconds(ttlSeconds) ?? null];
  await write.trx.query({ name: "renew-lease", text: RENEW, values });
  write.direct = true;
  return { id: issue.id };
}
