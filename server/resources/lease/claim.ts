import { conflict, inputError, notFound } from "../../errors.ts";
import { isGiven } from "../../read/connection/page.ts";
import { checkComplete } from "../../read/filter/limits.ts";
import { preparedStatement } from "../../read/prepared-statement.ts";
import { readShapes, shapeOfValue } from "../../read/shape.ts";
import { target } from "../../write/find.ts";
import type { Found } from "../../write/rows.ts";
import type { Result, Write } from "../../write/write.ts";
import { writeHandover } from "../handover/handover.ts";
import { changeIssue } from "../issue/change.ts";
import { isOpen, openSql } from "../issue/readiness.ts";
import { firstState, stateStamps } from "../issue/state.ts";
import { linkSession } from "../issue-session/link.ts";
import { endExpired, takeFrom } from "./expire.ts";
import { checkPresent, heldBy, inWords, isAgent, leaseOf } from "./fence.ts";
import type { IssueClaim } from "./input.ts";
import { spentSql } from "./limits.ts";
import { bestReadySql } from "./ready.ts";

/**
 * Takes an issue for the caller: the one named, or the best ready one that matches. Everything that could take it too
 * waits meanwhile for the organization's lock, so nobody else gets it. With the fence of a lease it is taken over.
 * @throws notFound when nothing is ready; conflict when it is held, blocked or closed, or the fence is stale
 */
export async function issueClaim(write: Write, input: IssueClaim): Promise<Result> {
  const { id = null, filter = null } = input;
  if (id !== null && filter !== null) throw inputError("give id or filter, not both", "filter");
  if (id === null && filter === null)
    throw inputError("say which issue: id, or a filter ({} for the best of all)", "id");
  if (filter) {
    checkComplete(filter, ["filter"]);
    if (isGiven(input.fence)) throw inputError("a fence takes over one issue: give its id", "fence");
    const best = await bestReady(write, filter);
    if (!best) throw notFound("ready issue", JSON.stringify(filter));
    return grant(write, await target(write, "Issue", best), input);
  }
  const named = await target(write, "Issue", String(id));
  const issue = named.leased ? await endExpired(write, named) : named;
  await checkPresent(write, issue, input.fence);
  const lease = isGiven(input.fence) ? await leaseOf(write, issue) : undefined;
  if (lease && lease.trippedBy !== null && (await isAgent(write, write.scope.userId)))
    throw conflict(`${inWords(issue, lease)}; a person does that`);
  if (issue.leased && !lease) return again(write, issue, input);
  await checkFree(write, issue);
  return grant(write, lease ? await takeFrom(write, issue, lease) : issue, input);
}

/**
 * A lease belongs to a user, and to their session if the claim named one: agents may share a key.
 * @throws conflict for any other user, and for any other session of the same one
 */
async function again(write: Write, issue: Found<"Issue">, { sessionId = null }: IssueClaim): Promise<Result> {
  const lease = await leaseOf(write, issue);
  const own = lease?.holderId === write.scope.userId;
  if (own && lease.sessionId === sessionId && lease.trippedBy === null) return claimed(issue);
  const named = sessionId === null ? "no session" : `session ${sessionId}`;
  const cure = `; this claim names ${named}: name that of the lease if it is yours, else take another issue`;
  throw conflict(`${inWords(issue, lease)}${own ? cure : ""}`);
}

/**
 * A claim that is asked for again answers its lease only while that lasts: the issue may have gone to somebody else.
 * @throws conflict naming who holds it
 */
export async function onClaimReplay(write: Write, result: Result): Promise<Result> {
  const issue = await target(write, "Issue", String(result.id));
  if (issue.leased && String(issue.fence) === result.kept) return result;
  throw conflict(`the lease of this claim has ended: ${await heldBy(write, issue)}`);
}

const claimed = ({ id, fence }: { id: string; fence: number }): Result => ({ id, kept: String(fence) });

/** @throws conflict when an issue is closed, or waits for others */
async function checkFree(write: Write, issue: Found<"Issue">): Promise<void> {
  if (!isOpen(issue)) throw conflict(`${issue.identifier} is closed; open it again first`);
  if (issue.openBlockers === 0) return;
  const rows = await write.trx.query<{ name: string }>({
    text: `select t.key || '-' || b.number as name from "issueRelation" r
      join issue b on b."organizationId" = r."organizationId" and b.id = r."issueId" and ${openSql("b")}
      join team t on t."organizationId" = b."organizationId" and t.id = b."teamId"
      where r."organizationId" = $1 and r."relatedIssueId" = $2 and r.type = 'blocks' order by b."createdAt" limit 10`,
    values: [write.scope.organizationId, issue.id],
    reads: ["issueRelation", "issue", "team"],
    writes: [],
  });
  const blockers = rows.map(({ name }) => name).join(", ");
  throw conflict(`${issue.identifier} is blocked by ${blockers}; those come first`);
}

/** Raw SQL: the time is the database's. */
const INSERT = `insert into "issueLease" ("organizationId", id, fence, "holderId", "sessionId", "ttlSeconds", "grantedAt",
    "renewedAt", "expiresAt", "checkAt", "stateId", "formerId", "costLimit", "tokenLimit", "minuteLimit", "equalCallLimit",
    "costBefore", "tokensBefore")
  select $1, $2, $3, $4, $5, $6, n.at, n.at, n.at + make_interval(secs => $6::integer),
    case when $5::text is null then n.at + make_interval(secs => $6::integer / 2.0) else n.at end, $7, $8, $9, $10, $11, $12,
    coalesce(b.cost, 0), coalesce(b.tokens, 0)
  from (select clock_timestamp() as at) n left join lateral (${spentSql("$5::text")}) b on true`;

async function grant(write: Write, issue: Found<"Issue">, claim: IssueClaim): Promise<Result> {
  const { ttlSeconds, sessionId } = claim;
  const { organizationId, userId } = write.scope;
  const { app } = await target(write, "User", userId);
  const field = app ? "delegateId" : "assigneeId";
  const fence = issue.fence + 1;
  if (issue.fence > 0) await writeHandover(write, issue);
  const begun = issue.stateType === "started";
  const state = begun ? undefined : await firstState(write, issue.teamId, "started");
  const team = await target(write, "Team", issue.teamId);
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
  const patch = { ...(state && stateStamps(write, state, issue)), [field]: userId, leased: true, fence };
  changeIssue(write, issue, patch, {
    event: "claimed",
    also: { holderId: { before: issue.holderId, after: userId } },
  });
  return claimed({ id: issue.id, fence });
}

type Limit = number | null | undefined;
/** A claim's own limit goes before that of its team. */
const own = (claimed: Limit, team: Limit): Limit => claimed ?? team;
/** An agent's claim has the lower one: it is owners who change the limits of a team. */
const least = (claimed: Limit, team: Limit): Limit => {
  const given = [claimed, team].filter((each) => typeof each === "number");
  return given.length > 0 ? Math.min(...given) : null;
};

/**
 * The id of the best ready issue that a filter matches.
 * @throws inputError for a filter that asks for too much
 */
async function bestReady(write: Write, filter: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const shape = shapeOfValue({ filter });
  const [shapes] = readShapes(`[${shape}]`);
  const inputs = { scope: write.scope, args: [{ filter }] };
  const statement = preparedStatement(write.model, `best ready ${shape}`, inputs, (build) =>
    bestReadySql(build, 0, shapes ? shapes.filter : undefined),
  );
  const [best] = await write.trx.query<{ id: string }>(statement);
  return best?.id;
}
