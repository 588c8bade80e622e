import type { Database } from "../../../db/open.ts";
import { count } from "../../counters.ts";
import type { TargetTable } from "../../resources/webhook/scope.ts";
import type { Claimed } from "./claim.ts";
import type { Outcome } from "./exchange.ts";
import { nextAttempt } from "./schedule.ts";

/** An attempt that was made, to be written down. */
export interface Attempt extends Outcome {
  delivery: Claimed;
  /** When it began, epoch ms. */
  at: number;
  /** True when no further attempt follows, against the schedule. */
  final?: boolean;
}

/** Attempts a delivery's log keeps: the newest. */
const KEPT = 50;

/** Still under the claim that made the attempt. */
const CLAIMED_BY_US = `d.status = 'pending' and d."leasedUntil" = o.lease`;

/** SQL of two parts that write down since when targets of a table fail, where that changes. */
const healthSql = (table: TargetTable): string => `"${table}News" as (
    select w.id, h."failedAt" from h join "${table}" w on w."organizationId" = $1 and w.id = h.id
     where (w."failingSince" is null) <> (h."failedAt" is null) order by w.id for update of w
  ),
  "${table}Health" as (
    update "${table}" w set "failingSince" = n."failedAt" from "${table}News" n
     where w."organizationId" = $1 and w.id = n.id
  )`;

/** Raw SQL: one statement updates many rows of an organization, each with values of its own, and their targets, from arrays. */
const RECORD = `
  with o as (
    select * from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::timestamptz[])
      as o(id, lease, attempt, status, next)
  ),
  h as (
    select * from unnest($7::uuid[], $8::timestamptz[]) as h(id, "failedAt")
  ),
  ${healthSql("webhook")},
  ${healthSql("noticeRule")}
  update delivery d set
    attempts = (case when jsonb_array_length(d.attempts) >= ${KEPT} then d.attempts - 0 else d.attempts end) || o.attempt::jsonb,
    tries = case when ${CLAIMED_BY_US} then d.tries + 1 else d.tries end,
    status = case when ${CLAIMED_BY_US} then o.status else d.status end,
    "nextAttemptAt" = case when ${CLAIMED_BY_US} then o.next else d."nextAttemptAt" end,
    "leasedUntil" = nullif(d."leasedUntil", o.lease)
  from o where d."organizationId" = $1 and d.id = o.id`;

/**
 * Writes attempts into the delivery log, and their effect on their targets. A claim that ran out, or a redelivery
 * asked for meanwhile, leaves the log entry and nothing else.
 */
export async function recordAttempts(db: Database, attempts: readonly Attempt[]): Promise<void> {
  for (const { status } of attempts)
    count("webhook_attempts_total", status !== null && status >= 200 && status < 300 ? "delivered" : "failed");
  const organizations = new Set(attempts.map(({ delivery }) => delivery.organizationId));
  for (const id of organizations) {
    await recordOf(
      db,
      id,
      attempts.filter(({ delivery }) => delivery.organizationId === id),
    );
  }
}

async function recordOf(db: Database, organizationId: string, attempts: readonly Attempt[]): Promise<void> {
  const rows = attempts.map(rowOf);
  const health = [...healthOf(attempts)];
  await db.query({
    name: "stream-record",
    text: RECORD,
    values: [
      organizationId,
      rows.map(({ id }) => id),
      rows.map(({ lease }) => lease),
      rows.map(({ attempt }) => attempt),
      rows.map(({ status }) => status),
      rows.map(({ next }) => next),
      health.map(([targetId]) => targetId),
      health.map(([, failedAt]) => failedAt),
    ],
  });
}

function rowOf({ delivery, at, status, error, retryAfter, final }: Attempt) {
  const again = error === null || final ? null : nextAttempt(delivery.tries + 1, Date.now(), retryAfter);
  return {
    id: delivery.id,
    lease: delivery.leasedUntil,
    attempt: JSON.stringify({ at: new Date(at).toISOString(), status, error }),
    status: error === null ? "delivered" : again ? "pending" : "failed",
    next: again ? new Date(again) : null,
  };
}

/** The time of each target's last failed attempt; null when its last attempt did not fail. */
const healthOf = (attempts: readonly Attempt[]): Map<string, Date | null> =>
  new Map(attempts.map(({ delivery, error, at }) => [delivery.targetId, error === null ? null : new Date(at)]));
