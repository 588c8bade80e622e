import { setTimeout as sleep } from "node:timers/promises";
import { createGroupCommit } from "../../../concurrency/group-commit.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Database } from "../../../db/open.ts";
import { count } from "../../counters.ts";
import type { TargetTable } from "../../resources/webhook/scope.ts";
import type { Runtime } from "../../runtime.ts";
import type { Claimed } from "./claim.ts";
import type { Outcome } from "./exchange.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses after the first, the second, … failed attempt: ten attempts within about 56 h. */
const PAUSES = [5 * SECOND, 1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 24 * HOUR];

/** A receiver's Retry-After counts up to here. */
const MAX_RETRY_AFTER = 24 * HOUR;

/**
 * The time of the next attempt, epoch ms, after `tries` failed ones; null when it was the last. It is never earlier
 * than the schedule and the receiver's wish. It is up to a fifth later, so that deliveries that failed together do not
 * return together.
 */
export function nextAttempt(
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
async function recordAttempts(db: Database, attempts: readonly Attempt[]): Promise<void> {
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

/** Writes attempts down: what ends while one statement is under way goes together in the next. */
export interface Recorder {
  /** Resolves when the attempt is in the log. Waits for a database that is away, until `stop`. */
  record(attempt: Attempt): Promise<void>;
}

const PAUSE_MS = 500;
/** Attempts of one statement. */
const MOST = 128;

/** A recorder over the database; its queue is as long as there are deliveries on their way. */
export function createRecorder({ db }: Runtime, stop: AbortSignal): Recorder {
  const record = createGroupCommit<Attempt, void>({
    most: { rows: MOST, bytes: Number.POSITIVE_INFINITY },
    parallel: 1,
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitMs: Number.POSITIVE_INFINITY,
    refusal: () => new Unavailable("too many attempts wait to be recorded"),
    async commit(load) {
      const write = async (some: typeof load) => {
        const attempts = some.map(({ item }) => item);
        while (!(await isRecorded(db, attempts))) await sleep(PAUSE_MS, undefined, { signal: stop, ref: false });
        for (const { resolve } of some) resolve();
      };
      // One that cannot be written down keeps no other from it.
      await write(load).catch(async () => {
        for (const one of load) await write([one]).catch(one.reject);
      });
    },
  });
  return { record: (attempt) => record("", attempt, { key: attempt.delivery.organizationId, rows: 1, bytes: 0 }) };
}

/** False while the database is away. */
async function isRecorded(db: Database, attempts: readonly Attempt[]): Promise<boolean> {
  try {
    await recordAttempts(db, attempts);
    return true;
  } catch (error) {
    if (error instanceof Unavailable) return false;
    throw error;
  }
}

/**
 * Gives back claims that a stopping server could not finish: another process, or the next start, sends them at once.
 * Raw SQL, since each row is compared with a lease of its own.
 */
export async function releaseClaims({ db, log }: Runtime, claims: readonly Claimed[]): Promise<void> {
  const organizations = new Set(claims.map(({ organizationId }) => organizationId));
  for (const id of organizations) {
    const own = claims.filter(({ organizationId }) => organizationId === id);
    await release(db, id, own).catch((error) =>
      log.warn({ err: error }, "claims not given back; they run out by themselves"),
    );
  }
}

const release = (db: Database, organizationId: string, claims: readonly Claimed[]) =>
  db.query({
    text: `update delivery d set "leasedUntil" = null, "nextAttemptAt" = $4
             from unnest($2::uuid[], $3::timestamptz[]) as l(id, lease)
            where d."organizationId" = $1 and d.id = l.id and d."leasedUntil" = l.lease`,
    values: [organizationId, claims.map(({ id }) => id), claims.map(({ leasedUntil }) => leasedUntil), new Date()],
  });
