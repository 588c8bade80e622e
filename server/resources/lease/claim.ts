import { conflict, inputError, notFound } from "../../errors.ts";
import { isGiven } from "../../read/connection/page.ts";
import { rejectEmptyFilterParts } from "../../read/filter/limits.ts";
import { preparedStatement } from "../../read/prepared-statement.ts";
import { parsePlanKey, shapeOfValue } from "../../read/shape.ts";
import { findRowOrThrow } from "../../write/find.ts";
import type { LoadedRow } from "../../write/rows.ts";
import type { MutationResult, WriteContext } from "../../write/write.ts";
import { writeHandover } from "../handover/handover.ts";
import { changeIssue } from "../issue/change.ts";
import { isOpen, isOpenInActiveTeamSql } from "../issue/readiness.ts";
import { firstState, stateEntryColumns } from "../issue/state.ts";
import { linkSession } from "../issue-session/link.ts";
import { endLeaseForTakeover, endLeaseIfExpired } from "./expire.ts";
import { checkPresentedFence, describeCurrentHolder, describeHolder, isAgent, readLease } from "./fence.ts";
import type { IssueClaim } from "./input.ts";
import { sessionSpendingSql } from "./limits.ts";
import { bestReadySql } from "./ready.ts";

/**
 * Claims an issue for the caller. The input names the issue, or a filter selects the best ready issue. Claims wait for
 * the organization's lock, so two callers cannot get the same issue. If the caller sends the fence of an existing
 * lease, the caller takes over the lease.
 * @throws notFound if no issue is ready; conflict if the issue is held, blocked or closed, or the fence is stale
 */
export async function issueClaim(write: WriteContext, input: IssueClaim): Promise<MutationResult> {
  const { id = null, filter = null } = input;
  if (id !== null && filter !== null) throw inputError("give id or filter, not both", "filter");
  if (id === null && filter === null) throw inputError("give id, or a filter ({} for the best ready issue)", "id");
  if (filter) {
    rejectEmptyFilterParts(filter, ["filter"]);
    if (isGiven(input.fence)) throw inputError("fence requires id: a fence takes over the claim of one issue", "fence");
    const best = await bestReady(write, filter);
    if (!best) throw notFound("ready issue", JSON.stringify(filter));
    return grant(write, await findRowOrThrow(write, "Issue", best), input);
  }
  const named = await findRowOrThrow(write, "Issue", String(id));
  const issue = named.leased ? await endLeaseIfExpired(write, named) : named;
  await checkPresentedFence(write, issue, input.fence);
  const lease = isGiven(input.fence) ? await readLease(write, issue) : undefined;
  if (lease && lease.trippedBy !== null && (await isAgent(write, write.scope.userId)))
    throw conflict(`${describeHolder(issue, lease)}; only a user can take over this claim, not an agent`);
  if (issue.leased && !lease) return again(write, issue, input);
  await checkFree(write, issue);
  return grant(write, lease ? await endLeaseForTakeover(write, issue, lease) : issue, input);
}

/**
 * Responds to a repeated claim with the existing lease. A lease belongs to a user. If the claim named a session, the
 * lease also belongs to the session, because several agents may share a key.
 * @throws conflict for another user, and for another session of the same user
 */
async function again(
  write: WriteContext,
  issue: LoadedRow<"Issue">,
  { sessionId = null }: IssueClaim,
): Promise<MutationResult> {
  const lease = await readLease(write, issue);
  const own = lease?.holderId === write.scope.userId;
  if (own && lease.sessionId === sessionId && lease.trippedBy === null) return claimed(issue);
  const named = sessionId === null ? "no session" : `session ${sessionId}`;
  const cure = `; this claim names ${named}: name the session of the lease if that session is yours; otherwise claim another issue`;
  throw conflict(`${describeHolder(issue, lease)}${own ? cure : ""}`);
}

/**
 * Responds to a repeated request with the stored lease. The function first checks that the lease still exists, because
 * another user may have claimed the issue in the meantime.
 * @throws conflict with the current holder
 */
export async function onClaimReplay(write: WriteContext, result: MutationResult): Promise<MutationResult> {
  const issue = await findRowOrThrow(write, "Issue", String(result.id));
  if (issue.leased && String(issue.fence) === result.kept) return result;
  throw conflict(`the lease of this claim has ended: ${await describeCurrentHolder(write, issue)}`);
}

const claimed = ({ id, fence }: { id: string; fence: number }): MutationResult => ({ id, kept: String(fence) });

/** @throws conflict if an issue is closed or blocked */
async function checkFree(write: WriteContext, issue: LoadedRow<"Issue">): Promise<void> {
  if (!isOpen(issue)) throw conflict(`${issue.identifier} is closed; reopen the issue first`);
  if (issue.openBlockers === 0) return;
  const rows = await write.trx.query<{ name: string }>({
    text: `select t.key || '-' || b.number as name from "issueRelation" r
      join issue b on b."organizationId" = r."organizationId" and b.id = r."issueId" and ${isOpenInActiveTeamSql("b")}
      join team t on t."organizationId" = b."organizationId" and t.id = b."teamId"
      where r."organizationId" = $1 and r."relatedIssueId" = $2 and r.type = 'blocks' order by b."createdAt" limit 10`,
    values: [write.scope.organizationId, issue.id],
    reads: ["issueRelation", "issue", "team"],
    writes: [],
  });
  const blockers = rows.map(({ name }) => name).join(", ");
  throw conflict(`${issue.identifier} is blocked by ${blockers}; complete the blockers first`);
}

/** Raw SQL: uses the time of the database. */
const INSERT = `insert into "issueLease" ("organizationId", id, fence, "holderId", "sessionId", "ttlSeconds", "grantedAt",
    "renewedAt", "expiresAt", "checkAt", "stateId", "formerId", "costLimit", "tokenLimit", "minuteLimit", "equalCallLimit",
    "costBefore", "tokensBefore")
  select $1, $2, $3, $4, $5, $6, n.at, n.at, n.at + make_interval(secs => $6::integer),
    case when $5::text is null then n.at + make_interval(secs => $6::integer / 2.0) else n.at end, $7, $8, $9, $10, $11, $12,
    coalesce(b.cost, 0), coalesce(b.tokens, 0)
  from (select clock_timestamp() as at) n left join lateral (${sessionSpendingSql("$5::text")}) b on true`;

async function grant(write: WriteContext, issue: LoadedRow<"Issue">, claim: IssueClaim): Promise<MutationResult> {
  const { ttlSeconds, sessionId } = claim;
  const { organizationId, userId } = write.scope;
  const { app } = await findRowOrThrow(write, "User", userId);
  const field = app ? "delegateId" : "assigneeId";
  const fence = issue.fence + 1;
  if (issue.fence > 0) await writeHandover(write, issue);
  const begun = issue.stateType === "started";
  const state = begun ? undefined : await firstState(write, issue.teamId, "started");
  const team = await findRowOrThrow(write, "Team", issue.teamId);
  const limit = app ? least : own;
  const limits = [
    limit(claim.costLimit, team.leaseCostLimit),
    limit(claim.tokenLimit, team.leaseTokenLimit),
    limit(claim.minuteLimit, team.leaseMinuteLimit),
    limit(claim.equalCallLimit, team.leaseEqualCallLimit),
  ];
  const rest = [ttlSeconds, issue.stateId, issue[field], ...limits];
  const values = [organizationId, issue.id, fence, userId, sessionId ?? null, ...rest];
  await write.trx.query({
    name: "grant-lease",
    text: INSERT,
    values,
    reads: ["recorded_session", "recorded_delta"],
    writes: ["issueLease"],
  });
  if (sessionId) await linkSession(write, issue.id, sessionId, "claimed");
  const patch = { ...(state && stateEntryColumns(write, state, issue)), [field]: userId, leased: true, fence };
  changeIssue(write, issue, patch, {
    event: "claimed",
    also: { holderId: { before: issue.holderId, after: userId } },
  });
  return claimed({ id: issue.id, fence });
}

type Limit = number | null | undefined;
/** A claim's own limit has priority over the team's limit. */
const own = (claimed: Limit, team: Limit): Limit => claimed ?? team;
/** An agent's claim gets the lower limit, because only owners may raise the limits of a team. */
const least = (claimed: Limit, team: Limit): Limit => {
  const given = [claimed, team].filter((each) => typeof each === "number");
  return given.length > 0 ? Math.min(...given) : null;
};

/**
 * Returns the id of the best ready issue that matches a filter.
 * @throws inputError for a filter that causes too much work
 */
async function bestReady(write: WriteContext, filter: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const shape = shapeOfValue({ filter });
  const [shapes] = parsePlanKey(`[${shape}]`);
  const inputs = { scope: write.scope, args: [{ filter }] };
  const statement = preparedStatement(write.model, `best ready ${shape}`, inputs, (build) =>
    bestReadySql(build, 0, shapes ? shapes.filter : undefined),
  );
  const [best] = await write.trx.query<{ id: string }>(statement);
  return best?.id;
}
