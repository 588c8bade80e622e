import { laterSql } from "../../../db/distribution/moments.ts";
import type { Database } from "../../../db/open.ts";
import { readOwn } from "../../../formats/own.ts";
import { newId } from "../../id.ts";
import { textWithoutNul } from "../../read/prepared-statement.ts";
import { create } from "../../write/change.ts";
import { find, target } from "../../write/find.ts";
import type { Write } from "../../write/write.ts";
import { changeIssue } from "../issue/change.ts";
import { isNamed } from "../issue-session/link.ts";
import { comparedResult, isToolCall } from "../recorded/kinds.ts";
import { LIMIT_NAMES } from "./fence.ts";
import { HOLDER_TEXTS } from "./holder-texts.ts";

/** Leases that one statement compares with their limits. */
const SLICE = 200;
/** A lease that was stopped waits so long for a person. */
const WAITS_UNTIL = laterSql("n.at", "interval '30 days'");

/**
 * SQL of what the session that a text names has taken, as `cost` and `tokens`: its row, and what is not rolled up into
 * it. A cost that nobody knows counts as nothing. $1 is the organization.
 */
export const spentSql = (text: string): string => `
  select coalesce(s.cost, 0) + coalesce(d.cost, 0) as cost,
      coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) + coalesce(d.tokens, 0) as tokens, s.session_id
    from recorded_session s left join lateral (
      select sum(d.cost) as cost, sum(coalesce(d.input_tokens, 0) + coalesce(d.output_tokens, 0)) as tokens
        from recorded_delta d where d.organization_id = $1 and d.session_id = s.session_id) d on true
   where s.organization_id = $1 and ${isNamed(text)} limit 1`;

/**
 * SQL of whether the last calls of a session are as many as the limit, and all equal: the same tool, input and result.
 * Calls before the claim do not count.
 */
const equalCalls = `(select count(*) = l."equalCallLimit" and count(distinct (c.primitive_name, md5(c.args), md5(c.result))) = 1
    from (select e.primitive_name, e.args, ${comparedResult("e")} as result from recorded_event e
      where e.organization_id = $1 and e.session_id = s.session_id and ${isToolCall("e")} and coalesce(e.open, false) = false
        and e.received_at >= l."grantedAt"
      order by e.timestamp desc, e.event_id desc limit l."equalCallLimit") c)`;

/** SQL of the limit that a lease `l` has reached with what its session `s` took. */
const reached = `case
    when s.cost - l."costBefore" >= l."costLimit" then 'cost'
    when s.tokens - l."tokensBefore" >= l."tokenLimit" then 'tokens'
    when clock_timestamp() >= l."grantedAt" + make_interval(mins => l."minuteLimit") then 'minutes'
    when l."equalCallLimit" is not null and s.session_id is not null and ${equalCalls} then 'equalCalls' end`;

const HAS_LIMIT = `"trippedAt" is null
  and ("costLimit" is not null or "tokenLimit" is not null or "minuteLimit" is not null or "equalCallLimit" is not null)`;

/** Raw SQL: at most `most` organizations behind an id with a lease that has a limit. */
export const limitedOrganizations = (after: string, most: number) => ({
  text: `select distinct "organizationId" as id from "issueLease" where "organizationId" > $1 and ${HAS_LIMIT}
    order by 1 limit $2`,
  values: [after, most],
});

/** Raw SQL: leases of $1 behind $2 that have reached a limit. */
const REACHED = `select l.id, ${reached} as limit, s.cost - l."costBefore" as cost, s.tokens - l."tokensBefore" as tokens
  from (select * from "issueLease" where "organizationId" = $1 and id > $2 and ${HAS_LIMIT} order by id limit ${SLICE}) l
  left join lateral (${spentSql(`l."sessionId"`)}) s on l."sessionId" is not null order by l.id`;

/** A lease with the limit that it has reached, if so. */
export interface Reached {
  id: string;
  limit: string | null;
  cost: number | null;
  tokens: number | null;
}

/** Compares the leases of an organization behind an id with their limits, as far as one statement goes. */
export async function compareLimits(db: Database, organizationId: string, after: string) {
  const leases = await db.query<Reached>({
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
 * Raw SQL, the shortest: an agent waits for it. Answers the limit, in words, that a claim of a session reached. A claim
 * names the session by its id here or by the agent's own.
 */
export async function limitReachedBy(
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
  return lease && readOwn(LIMIT_NAMES, lease.trippedBy);
}

/** Raw SQL: the time is the database's. */
const TRIP = `update "issueLease" set "trippedAt" = n.at, "trippedBy" = $3, "expiresAt" = ${WAITS_UNTIL}, "checkAt" = ${WAITS_UNTIL}
  from (select clock_timestamp() as at) n
  where "organizationId" = $1 and id = $2 and ${HAS_LIMIT} returning "holderId"`;

/**
 * Stops a lease at its limit: the fence counts no more, and the issue stays held until a person decides. A comment by the
 * system says why.
 */
export async function tripLease(write: Write, { id, limit, cost, tokens }: Reached): Promise<void> {
  if (limit === null) return;
  write.direct = true;
  const issue = await target(write, "Issue", id);
  const [lease] = await write.trx.query<{ holderId: string }>({
    name: "trip-lease",
    text: TRIP,
    values: [write.scope.organizationId, id, limit],
    reads: [],
    writes: ["issueLease"],
  });
  if (!lease) return;
  changeIssue(write, issue, {}, { event: "limitReached", also: { trippedBy: { before: null, after: limit } } });
  const holder = await find(write, "User", lease.holderId);
  const spent = [
    ...(cost ? [`$${Number(cost).toFixed(2)}`] : []),
    ...(tokens ? [`${Number(tokens).toLocaleString("en")} tokens`] : []),
  ];
  const so = spent.length > 0 ? ` It took ${spent.join(" and ")}.` : "";
  const body = `${issue.identifier} reached its limit of ${readOwn(LIMIT_NAMES, limit)}${HOLDER_TEXTS.limited(holder?.name ?? "")}${so} Release it, or take it over, to go on.`;
  create(write, "Comment", { id: newId(), body, issueId: id, userId: null });
}
