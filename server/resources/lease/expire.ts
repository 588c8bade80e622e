import { newId } from "../../id.ts";
import { createRow, deleteLinkRows, updateRow } from "../../write/change.ts";
import { findRow, findRowOrThrow } from "../../write/find.ts";
import type { LoadedRow } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { notifyOfExpiredLease } from "../inbox/notice.ts";
import { isOpenSql } from "../issue/readiness.ts";
import { HOLDER_TEXTS } from "./holder-texts.ts";
import { type LeaseBeforeClaim, undoClaim } from "./release.ts";

/** A lease that ended because it expired, or because the holder lost access. */
interface Ended extends LeaseBeforeClaim {
  id: string;
  sessionId: string | null;
  /** True if the lease ended before it expired, because the holder may no longer act. */
  early: boolean;
  since: string;
  until: string;
}

/** SQL condition: the holder of a lease `l` in organization $1 is an agent without a key. */
export const hasNoKeySql = `exists (select from "user" u where u."organizationId" = $1 and u.id = l."holderId"
    and u.app and not exists (select from "apiKey" k where k."organizationId" = $1 and k."userId" = u.id))`;

/** Locks leases that have expired, or whose holders may no longer act. Raw SQL: uses the time of the database. */
const OVER = `select l.id, (l."expiresAt" > clock_timestamp()) as early, l."holderId", l."stateId", l."formerId", l."sessionId",
    to_json(l."grantedAt") #>> '{}' as since, to_json(l."expiresAt") #>> '{}' as until
  from "issueLease" l where l."organizationId" = $1 and l.id = any($2::uuid[])
    and (l."expiresAt" <= clock_timestamp() or $3::boolean or ${hasNoKeySql}) order by l.id for update`;

/**
 * Deletes locked leases. A separate statement, because on Citus a delete cannot return values that depend on the
 * clock.
 */
const END = `delete from "issueLease" where "organizationId" = $1 and id = any($2::uuid[])`;

/**
 * Ends those of the given leases that have expired, or whose holder is an agent without a key. With `always`, ends all
 * given leases, because the holder's keys were deleted. Each issue returns to the state before the claim, and a system
 * comment gives the reason. Returns the ids of the ended leases.
 */
export async function endLeases(write: WriteContext, ids: readonly string[], always = false): Promise<string[]> {
  const { organizationId } = write.scope;
  const over = await write.trx.query<Ended>({
    name: "leases-over",
    text: OVER,
    values: [organizationId, ids, always],
    reads: ["issueLease", "user", "apiKey"],
    writes: [],
  });
  const ended = over.map(({ id }) => id);
  if (ended.length === 0) return ended;
  await deleteLeases(write, ended);
  for (const lease of over) await sayEnded(write, lease);
  return ended;
}

async function deleteLeases(write: WriteContext, ids: readonly string[]): Promise<void> {
  const values = [write.scope.organizationId, ids];
  write.direct = true;
  await write.trx.query({ name: "end-leases", text: END, values, reads: [], writes: ["issueLease"] });
}

/**
 * Ends the lease of an issue, so that the same transaction can grant a new lease. Returns the issue without the lease.
 */
export async function endLeaseForTakeover(
  write: WriteContext,
  issue: LoadedRow<"Issue">,
  lease: LeaseBeforeClaim,
): Promise<LoadedRow<"Issue">> {
  await deleteLeases(write, [issue.id]);
  await undoClaim(write, issue, lease, "released");
  return { ...(await findRowOrThrow(write, "Issue", issue.id)), holderId: null };
}

/** Ends all leases of a user whose keys were deleted. */
export async function endLeasesOfUser(write: WriteContext, holderId: string): Promise<void> {
  const rows = await write.trx.query<{ id: string }>({
    text: `select id from "issueLease" where "organizationId" = $1 and "holderId" = $2`,
    values: [write.scope.organizationId, holderId],
    reads: ["issueLease"],
    writes: [],
  });
  await endLeases(
    write,
    rows.map(({ id }) => id),
    true,
  );
}

/**
 * Ends the lease of an issue if the lease has expired, or if the holder is an agent without a key, and no job has ended
 * the lease yet. Returns the current issue.
 */
export async function endLeaseIfExpired(write: WriteContext, issue: LoadedRow<"Issue">): Promise<LoadedRow<"Issue">> {
  const [ended] = await endLeases(write, [issue.id]);
  return ended ? { ...(await findRowOrThrow(write, "Issue", issue.id)), holderId: null } : issue;
}

async function sayEnded(write: WriteContext, lease: Ended): Promise<void> {
  const issue = await findRowOrThrow(write, "Issue", lease.id);
  await undoClaim(write, issue, lease, "leaseExpired");
  const holder = await findRow(write, "User", lease.holderId);
  const name = holder?.name ?? "";
  const why = lease.early ? HOLDER_TEXTS.keyEnded(name) : `${HOLDER_TEXTS.silent(name)}${lease.until}`;
  const session = lease.sessionId === null ? "" : ` ${await sessionText(write, lease.sessionId)}`;
  const body = `${issue.identifier} ${HOLDER_TEXTS.held(name)}${lease.since}, and ${why}.${session}`;
  createRow(write, "Comment", { id: newId(), body, issueId: issue.id, userId: null });
  notifyOfExpiredLease(write, issue.id, lease.holderId);
}

/** Returns a sentence with a link to the last event of a lease's session. */
async function sessionText(write: WriteContext, sessionId: string): Promise<string> {
  const { organizationId, publicUrl } = write.scope;
  const [last] = await write.trx.query<{ session: string; event: string; urlKey: string }>({
    text: `select s.session_id as session, e.event_id as event, o."urlKey" as "urlKey"
      from recorded_session s join organization o on o.id = s.organization_id cross join lateral (
        select event_id from recorded_event where organization_id = s.organization_id and session_id = s.session_id
        order by timestamp desc, event_id desc limit 1) e
      where s.organization_id = $1 and (s.session_id::text = lower($2) or s.external_id = $2) limit 1`,
    values: [organizationId, sessionId],
    reads: ["recorded_session", "recorded_event", "organization"],
    writes: [],
  });
  if (!last) return `Nothing was recorded of its session ${sessionId}.`;
  const { session, event, urlKey } = last;
  return `The last thing its session ${sessionId} recorded is [event ${event}](${publicUrl}/${urlKey}/sessions/${session}?event=${event}).`;
}

const lease = `exists (select from "issueLease" l where l."organizationId" = $1 and l.id = i.id`;
/** SQL condition: an issue `i` is held. The issue is open, and the holder of the lease is the assignee or delegate. */
const held = `(${isOpenSql("i")} and ${lease} and l."holderId" in (i."assigneeId", i."delegateId")))`;

/**
 * Raw SQL: a comparison. Finds the issues among $2 whose column `leased` is wrong, or whose lease should have ended.
 */
export const LEASE_DIFFERENCES_SQL = `select i.id, ${held} as held from issue i where i."organizationId" = $1 and i.id = any($2::uuid[])
  and (i.leased <> ${held} or (${lease}) and not ${held}))`;

/**
 * Corrects issues whose column `leased` does not match their lease, and ends leases of closed or reassigned issues. The
 * function logs changes, so that clients see the current holder.
 */
export async function repairLeases(write: WriteContext, ids: readonly string[]): Promise<void> {
  const values = [write.scope.organizationId, ids];
  const differing = { text: LEASE_DIFFERENCES_SQL, values, reads: ["issue", "issueLease"], writes: [] };
  for (const { id, held } of await write.trx.query<{ id: string; held: boolean }>(differing)) {
    const issue = await findRowOrThrow(write, "Issue", id);
    const { holderId } = issue;
    if (!held) deleteLinkRows(write, "issueLease", { id });
    const also = { holderId: held ? { before: null, after: holderId } : { before: holderId, after: null } };
    updateRow(write, "Issue", issue, { leased: held }, { also, ...(!held && { event: "leaseExpired" }) });
  }
}
