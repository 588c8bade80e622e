import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../../db/open.ts";
import { rateLimited } from "../../errors.ts";
import { network } from "../network.ts";
import {
  type AttemptCount,
  clearFailures,
  countAttempt,
  currentCounts,
  forget,
  giveBack,
  recordFailure,
} from "./attempt-counts.ts";

/** Failed logins allowed in a window, of one account from one address. */
const PER_PAIR = 10;
/** Failed logins allowed in a window, of all accounts from one address. */
const PER_ADDRESS = 100;

/**
 * The longest wait of a guess for others that are being checked. It is longer than any check, its wait in the queue
 * included: a guess that is counted after it was left behind by a crash.
 */
const WAIT_MS = 10_000;

/** A guess at a password that was admitted: exactly one of the three must be called. */
export interface Attempt {
  failed(): Promise<void>;
  succeeded(): Promise<void>;
  /** Takes the attempt back: it was not checked, and counts neither way. */
  abandoned(): Promise<void>;
}

/**
 * Admits a guess at an account's password from an address, or refuses it. Counted in rows, so that it holds across
 * instances, and counted before the check, so that many guesses at once are no way round it. Right passwords that
 * arrive together wait for each other instead of being refused.
 * @throws rateLimited (429) with the seconds until the window ends.
 */
export async function admitAttempt(db: Database, email: string, address: string): Promise<Attempt> {
  const pair = keyOf("pair", email, network(address));
  const keys = [pair, keyOf("address", network(address))];
  const limits = new Map([[pair, PER_PAIR]]);
  const limitOf = (key: string) => limits.get(key) ?? PER_ADDRESS;
  const spentOf = (rows: AttemptCount[]) => rows.find((row) => row.failures >= limitOf(row.key));
  // Most guesses of an attack end here: one read, no write.
  refuse(spentOf(await currentCounts(db, keys)));
  for (const deadline = Date.now() + WAIT_MS; ; await sleep(100)) {
    const rows = await countAttempt(db, keys);
    const spent = spentOf(rows);
    const full = rows.some((row) => row.attempts > limitOf(row.key));
    if (!spent && !full) break;
    await giveBack(db, keys);
    refuse(spent);
    if (Date.now() > deadline) await forget(db, keys);
  }
  return {
    failed: () => recordFailure(db, keys),
    succeeded: () => clearFailures(db, keys, pair),
    abandoned: () => giveBack(db, keys),
  };
}

/** @throws rateLimited for a count that is spent, with the time until its window ends. */
function refuse(spent: AttemptCount | undefined): void {
  if (spent) throw tooMany(spent.until.getTime() - Date.now());
}

const keyOf = (...parts: string[]) => createHash("sha256").update(parts.join("\n")).digest("base64url");

const tooMany = (ms: number) =>
  rateLimited("Too many failed logins; wait before the next try.", Math.max(1, Math.ceil(ms / 1000)));
