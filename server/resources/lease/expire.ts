import { newId } from "../../id.ts";
import { create, dropLinks, update } from "../../write/change.ts";
import { find, target } from "../../write/find.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { noteExpired } from "../inbox/notice.ts";
import { isOpenSql } from "../issue/readiness.ts";
import { HOLDER_TEXTS } from "./holder-texts.ts";
import { type Former, putBack } from "./release.ts";

/** A lease that has ended by itself. */
interface Ended extends Former {
  id: string;
  sessionId: string | null;
  /** Before its time: the holder may not act any more. */
  early: boolean;
  since: string;
  until: string;
}

/** SQL of whether the holder of a lease `l` of the organization $1 is an agent whose key has ended. */
export const keyless = `exists (select from "user" u where u."organizationId" = $1 and u.id = l."holderId"
    and u.app and not exists (select from "apiKey" k where k."organizationId" = $1 and k."userId" = u.id))`;

/** Locks leases that are over at this moment, or whose holders may not act any more. Raw SQL: database time. */
const OVER = `select l.id, (l."expiresAt" > clock_timestamp()) as early, l."holderId", l."stateId", l."formerId", l."sessionId",
    to_json(l."grantedAt") #>> '{}' as since, to_json(l."expiresAt") #>> '{}' as until
  from "issueLease" l where l."organizationId" = $1 and l.id = any($2::uuid[])
    and (l."expiresAt" <= clock_timestamp() or $3::boolean or ${keyless}) order by l.id for update`;

/** Leases that are locked. A statement of its own: what a delete answers may not look at the clock on every node. */
const END = `delete from "issueLease" where "organizationId" = $1 and id = any($2::uuid[])`;

/**
 * Ends those of some leases whose time is over; `always` ends all of them, since their holder's key has ended. The issues
 * go back to where they were, and a comment by the system says why. Returns their ids.
 */
export async function endLeases(write: Write, ids: readonly string[], always = false): Promise<string[]> {
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

async function deleteLeases(write: Write, ids: readonly string[]): Promise<void> {
  const values = [write.scope.organizationId, ids];
  write.direct = true;
  await write.trx.query({ name: "end-leases", text: END, values, reads: [], writes: ["issueLease"] });
}

/** Ends the lease of an issue for another claim in the same transaction. Answers the issue without it. */
export async function takeFrom(write: Write, issue: Found<"Issue">, lease: Former): Promise<Found<"Issue">> {
  await deleteLeases(write, [issue.id]);
  await putBack(write, issue, lease, "released");
  return { ...(await target(write, "Issue", issue.id)), holderId: null };
}

/** Ends every lease of a user whose keys were deleted. */
export async function endLeasesOf(write: Write, holderId: string): Promise<void> {
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

/** The issue without its lease, if that is over though nobody has noticed yet; else as it is. */
export async function endExpired(write: Write, issue: Found<"Issue">): Promise<Found<"Issue">> {
  const [ended] = await endLeases(write, [issue.id]);
  return ended ? { ...(await target(write, "Issue", issue.id)), holderId: null } : issue;
}

async function sayEnded(write: Write, lease: Ended): Promise<void> {
  const issue = await target(write, "Issue", lease.id);
  await putBack(write, issue, lease, "leaseExpired");
  const holder = await find(write, "User", lease.holderId);
  const name = holder?.name ?? "";
  const why = lease.early ? HOLDER_TEXTS.keyEnded(name) : `${HOLDER_TEXTS.silent(name)}${lease.until}`;
  const session = lease.sessionId === null ? "" : ` ${await sessionText(write, lease.sessionId)}`;
  const body = `${issue.identifier} ${HOLDER_TEXTS.held(name)}${lease.since}, and ${why}.${session}`;
  create(write, "Comment", { id: newId(), body, issueId: issue.id, userId: null });
  noteExpired(write, issue.id, lease.holderId);
}

/** The last event of a lease's session, as a sentence with a link. */
async function sessionText(write: Write, sessionId: string): Promise<string> {
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
/** SQL of whether an issue `i` is held: it is open, and the holder of its lease is its assignee or delegate. */
const held = `(${isOpenSql("i")} and ${lease} and l."holderId" in (i."assigneeId", i."delegateId")))`;

/** Raw SQL: a comparison. Which of the issues $2 say otherwise than their leases, or have one that should have ended. */
export const LEASES_DIFFER = `select i.id, ${held} as held from issue i where i."organizationId" = $1 and i.id = any($2::uuid[])
  and (i.leased <> ${held} or (${lease}) and not ${held}))`;

/** Has issues say what their leases do, and ends leases of what is closed or somebody else's. Followers see who holds them. */
export async function repairLeases(write: Write, ids: readonly string[]): Promise<void> {
  const values = [write.scope.organizationId, ids];
  const differing = { text: LEASES_DIFFER, values, reads: ["issue", "issueLease"], writes: [] };
  for (const { id, held } of await write.trx.query<{ id: string; held: boolean }>(differing)) {
    const issue = await target(write, "Issue", id);
    const { holderId } = issue;
    if (!held) dropLinks(write, "issueLease", { id });
    const also = { holderId: held ? { before: null, after: holderId } : { before: holderId, after: null } };
    update(write, "Issue", issue, { leased: held }, { also, ...(!held && { event: "leaseExpired" }) });
  }
}
