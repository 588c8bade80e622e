import { buildLaterTimeSql } from "../../../db/distribution/moments.ts";
import type { Database } from "../../../db/open.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { newId } from "../../id.ts";
import { textWithoutNul } from "../../read/prepared-statement.ts";
import { createRow } from "../../write/change.ts";
import { findRow, findRowOrThrow } from "../../write/find.ts";
import type { WriteContext } from "../../write/write.ts";
import { changeIssue } from "../issue/change.ts";
import { isSessionNamedSql } from "../issue-session/link.ts";
import { comparedResultSql } from "../recorded/compared-result.ts";
import { isToolCallSql } from "../recorded/kinds.ts";
import { LIMIT_NAMES } from "./fence.ts";
import { HOLDER_TEXTS } from "./holder-texts.ts";

/** Maximum number of leases that a statement compares with their limits. */
const SLICE = 200;
/** Expiry of a lease that was stopped at a limit. The lease waits for a user. */
const WAITS_UNTIL = buildLaterTimeSql("n.at", "interval '30 days'");

/**
 * SQL for the `cost` and `tokens` of the session that a text names. The SQL adds the deltas that are not rolled up yet
 * to the totals of the session. An unknown cost counts as zero. $1 is the organization.
 */
export const sessionSpendingSql = (text: string): string => `
  select coalesce(s.cost, 0) + coalesce(d.cost, 0) as cost,
      coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) + coalesce(d.tokens, 0) as tokens, s.session_id
    from recorded_session s left join lateral (
      select sum(d.cost) as cost, sum(coalesce(d.input_tokens, 0) + coalesce(d.output_tokens, 0)) as tokens
        from recorded_delta d where d.organization_id = $1 and d.session_id = s.session_id) d on true
   where s.organization_id = $1 and ${isSessionNamedSql(text)} limit 1`;

/**
 * SQL condition: the session's last n calls since the claim have the same tool, input and result, where n is the
 * lease's limit of equal calls.
 */
const equalCalls = `(select count(*) = l."equalCallLimit" and count(distinct (c.primitive_name, md5(c.args), md5(c.result))) = 1
    from (select e.primitive_name, e.args, ${comparedResultSql("e")} as result from recorded_event e
      where e.organization_id = $1 and e.session_id = s.session_id and ${isToolCallSql("e")} and coalesce(e.open, false) = false
        and e.received_at >= l."grantedAt"
      order by e.timestamp desc, e.event_id desc limit l."equalCallLimit") c)`;

/** SQL for the name of the limit that a lease `l` has reached through session `s`; null if no limit is reached. */
const reached = `case
    when s.cost - l."costBefore" >= l."costLimit" then 'cost'
    when s.tokens - l."tokensBefore" >= l."tokenLimit" then 'tokens'
    when clock_timestamp() >= l."grantedAt" + make_interval(mins => l."minuteLimit") then 'minutes'
    when l."equalCallLimit" is not null and s.session_id is not null and ${equalCalls} then 'equalCalls' end`;

const HAS_LIMIT = `"trippedAt" is null
  and ("costLimit" is not null or "tokenLimit" is not null or "minuteLimit" is not null or "equalCallLimit" is not null)`;

/**
 * Raw SQL: returns up to `most` organizations that have a lease with a limit. Only organizations with an id greater
 * than `after` are returned.
 */
export const organizationsWithLimitsQuery = (after: string, most: number) => ({
  text: `select distinct "organizationId" as id from "issueLease" where "organizationId" > $1 and ${HAS_LIMIT}
    order by 1 limit $2`,
  values: [after, most],
});

/**
 * Raw SQL: leases with a limit in organization $1 with ids greater than $2, each with the limit that the lease has
 * reached, or null.
 */
const REACHED = `select l.id, ${reached} as limit, s.cost - l."costBefore" as cost, s.tokens - l."tokensBefore" as tokens
  from (select * from "issueLease" where "organizationId" = $1 and id > $2 and ${HAS_LIMIT} order by id limit ${SLICE}) l
  left join lateral (${sessionSpendingSql(`l."sessionId"`)}) s on l."sessionId" is not null order by l.id`;

/** A lease, and the limit that the lease has reached, if any. */
export interface LimitedLease {
  id: string;
  limit: string | null;
  cost: number | null;
  tokens: number | null;
}

/**
 * Compares leases of an organization with their limits. Starts after the lease with the given id, and compares at most
 * as many leases as fit into one statement.
 */
export async function compareLeasesWithLimits(db: Database, organizationId: string, after: string) {
  const leases = await db.query<LimitedLease>({
    name: "lease-limits",
    text: REACHED,
    values: [organizationId, after],
    reads: ["issueLease", "recorded_session", "recorded_delta", "recorded_event"],
    writes: [],
  });
  return {
    reached: leases.filter(({ limit }) => limit !== null),
    isMore: leases.length === SLICE,
    last: leases.at(-1)?.id,
  };
}

/**
 * Returns the name of the limit that a claim of a session has reached. A claim names the session by id, or by the id
 * that the agent reported. Raw SQL and as fast as possible, because an agent waits for the result.
 */
export async function findReachedLimit(
  db: Database,
  organizationId: string,
  session: string,
): Promise<string | undefined> {
  const [lease] = await db.query<{ trippedBy: string }>({
    name: "limit-reached",
    text: `select "trippedBy" from "issueLease"
      where "organizationId" = $1 and "trippedAt" is not null and lower("sessionId") in (select lower($2) union all
        select s.session_id::text from recorded_session s where s.organization_id = $1 and s.external_id = $2) limit 1`,
    values: [organizationId, textWithoutNul(session.slice(0, 512))],
    reads: ["issueLease", "recorded_session"],
    writes: [],
  });
  return lease && getOwnProperty(LIMIT_NAMES, lease.trippedBy);
}

/** Raw SQL: uses the time of the database. */
const TRIP = `update "issueLease" set "trippedAt" = n.at, "trippedBy" = $3, "expiresAt" = ${WAITS_UNTIL}, "checkAt" = ${WAITS_UNTIL}
  from (select clock_timestamp() as at) n
  where "organizationId" = $1 and id = $2 and ${HAS_LIMIT} returning "holderId"`;

/**
 * Stops a lease at a limit. The fence is no longer valid, and the issue stays held until a user decides. A system
 * comment gives the reason.
 */
export async function stopLeaseAtLimit(write: WriteContext, { id, limit, cost, tokens }: LimitedLease): Promise<void> {
  if (limit === null) return;
  write.direct = true;
  const issue = await findRowOrThrow(write, "Issue", id);
  const [lease] = await write.trx.query<{ holderId: string }>({
    name: "trip-lease",
    text: TRIP,
    values: [write.scope.organizationId, id, limit],
    reads: [],
    writes: ["issueLease"],
  });
  if (!lease) return;
  changeIssue(write, issue, {}, { event: "limitReached", also: { trippedBy: { before: null, after: limit } } });
  const holder = await findRow(write, "User", lease.holderId);
  const spent = [
    ...(cost ? [`$${Number(cost).toFixed(2)}`] : []),
    ...(tokens ? [`${Number(tokens).toLocaleString("en")} tokens`] : []),
  ];
  const so = spent.length > 0 ? ` It took ${spent.join(" and ")}.` : "";
  const body = `${issue.identifier} reached its limit of ${getOwnProperty(LIMIT_NAMES, limit)}${HOLDER_TEXTS.limited(holder?.name ?? "")}${so} Release it, or take it over, to go on.`;
  createRow(write, "Comment", { id: newId(), body, issueId: id, userId: null });
}
