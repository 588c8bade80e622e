import { setTimeout as sleep } from "node:timers/promises";
import { createGroupCommit } from "../../../concurrency/group-commit.ts";
import { getMonotonicDate, getMonotonicEpochMs } from "../../../concurrency/held-clock.ts";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import type { Database } from "../../../db/open.ts";
import { incrementCounter } from "../../counters.ts";
import type { DeliveryTargetTable } from "../../resources/webhook/scope.ts";
import type { Runtime } from "../../runtime.ts";
import type { ClaimedDelivery } from "./claim.ts";
import type { AttemptOutcome } from "./exchange.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses after the first, second, … failed attempt: ten attempts within about 56 h. */
const PAUSES = [5 * SECOND, 1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 24 * HOUR];

/** Maximum value of a receiver's Retry-After, in ms. A longer Retry-After counts as this value. */
const MAX_RETRY_AFTER = 24 * HOUR;

/**
 * The time of the next attempt in epoch ms, after `tries` failed attempts; null after the last attempt. The time is
 * never earlier than the schedule or the receiver's Retry-After. A random delay of up to a fifth keeps deliveries
 * that failed together from returning together.
 */
export function computeNextAttemptTime(
  tries: number,
  now: number,
  retryAfter: number | null,
  random = Math.random(),
): number | null {
  const pause = PAUSES[tries - 1];
  if (pause === undefined) return null;
  const asked = Math.min(retryAfter ?? 0, MAX_RETRY_AFTER);
  return now + Math.round(Math.max(pause, asked) * (1 + random / 5));
}

/** A finished attempt to record. */
export interface DeliveryAttempt extends AttemptOutcome {
  delivery: ClaimedDelivery;
  /** Start of the attempt, in epoch ms. */
  at: number;
  /** True when no further attempt follows, even if the schedule has more attempts. */
  final?: boolean;
}

/** Number of attempts that a delivery's log keeps, newest attempts only. */
const KEPT = 50;

/** True while the delivery still has the claim under which the attempt was made. */
const CLAIMED_BY_US = `d.status = 'pending' and d."leasedUntil" = o.lease`;

/**
 * SQL for two CTEs that update `failingSince` in one table of targets. Only targets whose health changed are updated: a
 * failing target gets the time of the failure, and a healthy target gets null.
 */
const healthSql = (table: DeliveryTargetTable): string => `"${table}News" as (
    select w.id, h."failedAt" from h join "${table}" w on w."organizationId" = $1 and w.id = h.id
     where (w."failingSince" is null) <> (h."failedAt" is null) order by w.id for update of w
  ),
  "${table}Health" as (
    update "${table}" w set "failingSince" = n."failedAt" from "${table}News" n
     where w."organizationId" = $1 and w.id = n.id
  )`;

/**
 * Raw SQL: one statement updates many deliveries of an organization and their targets from arrays, with different
 * values for each row.
 */
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
 * Writes attempts into the delivery log and updates the health of their targets. If the claim has expired or a user
 * asked for a redelivery meanwhile, the status and the schedule of the delivery stay unchanged.
 */
async function recordAttempts(db: Database, attempts: readonly DeliveryAttempt[]): Promise<void> {
  for (const { status } of attempts)
    incrementCounter(
      "webhook_attempts_total",
      status !== null && status >= 200 && status < 300 ? "delivered" : "failed",
    );
  const organizations = new Set(attempts.map(({ delivery }) => delivery.organizationId));
  for (const id of organizations) {
    await recordOf(
      db,
      id,
      attempts.filter(({ delivery }) => delivery.organizationId === id),
    );
  }
}

async function recordOf(db: Database, organizationId: string, attempts: readonly DeliveryAttempt[]): Promise<void> {
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

function rowOf({ delivery, at, status, error, retryAfter, final }: DeliveryAttempt) {
  const again =
    error === null || final ? null : computeNextAttemptTime(delivery.tries + 1, getMonotonicEpochMs(), retryAfter);
  return {
    id: delivery.id,
    lease: delivery.leasedUntil,
    attempt: JSON.stringify({ at: new Date(at).toISOString(), status, error }),
    status: error === null ? "delivered" : again ? "pending" : "failed",
    next: again ? new Date(again) : null,
  };
}

/** The time of each target's last failed attempt; null when the last attempt succeeded. */
const healthOf = (attempts: readonly DeliveryAttempt[]): Map<string, Date | null> =>
  new Map(attempts.map(({ delivery, error, at }) => [delivery.targetId, error === null ? null : new Date(at)]));

/** Records attempts. Attempts that end during one statement share the next statement. */
export interface AttemptRecorder {
  /** Resolves when the attempt is in the log. Waits for an unavailable database until `stop` is aborted. */
  record(attempt: DeliveryAttempt): Promise<void>;
}

const PAUSE_MS = 500;
/** Maximum attempts per statement. */
const MOST = 128;

/**
 * Creates a recorder. The recorder's queue needs no limit of its own, because the number of deliveries in flight is
 * limited.
 */
export function createAttemptRecorder({ db }: Runtime, stop: AbortSignal): AttemptRecorder {
  const record = createGroupCommit<DeliveryAttempt, void>({
    most: { rows: MOST, bytes: Number.POSITIVE_INFINITY },
    parallel: 1,
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitMs: Number.POSITIVE_INFINITY,
    refusal: () => new UnavailableError("too many attempts wait to be recorded"),
    async commit(load) {
      const write = async (some: typeof load) => {
        const attempts = some.map(({ item }) => item);
        while (!(await isRecorded(db, attempts))) await sleep(PAUSE_MS, undefined, { signal: stop, ref: false });
        for (const { resolve } of some) resolve();
      };
      // An attempt that cannot be recorded must not block other attempts, so each attempt is retried alone.
      await write(load).catch(async () => {
        for (const one of load) await write([one]).catch(one.reject);
      });
    },
  });
  return { record: (attempt) => record("", attempt, { key: attempt.delivery.organizationId, rows: 1, bytes: 0 }) };
}

/** Returns false while the database is unavailable. */
async function isRecorded(db: Database, attempts: readonly DeliveryAttempt[]): Promise<boolean> {
  try {
    await recordAttempts(db, attempts);
    return true;
  } catch (error) {
    if (error instanceof UnavailableError) return false;
    throw error;
  }
}

/**
 * Releases claims that a stopping server could not finish. Another process, or the next start, sends the deliveries
 * at once. Raw SQL, since each row is compared with its own lease.
 */
export async function releaseDeliveryClaims({ db, log }: Runtime, claims: readonly ClaimedDelivery[]): Promise<void> {
  const organizations = new Set(claims.map(({ organizationId }) => organizationId));
  for (const id of organizations) {
    const own = claims.filter(({ organizationId }) => organizationId === id);
    await release(db, id, own).catch((error) =>
      log.warn({ err: error }, "claims of deliveries were not released; the claims will expire"),
    );
  }
}

const release = (db: Database, organizationId: string, claims: readonly ClaimedDelivery[]) =>
  db.query({
    text: `update delivery d set "leasedUntil" = null, "nextAttemptAt" = $4
             from unnest($2::uuid[], $3::timestamptz[]) as l(id, lease)
            where d."organizationId" = $1 and d.id = l.id and d."leasedUntil" = l.lease`,
    values: [
      organizationId,
      claims.map(({ id }) => id),
      claims.map(({ leasedUntil }) => leasedUntil),
      getMonotonicDate(),
    ],
  });
