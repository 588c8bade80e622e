import type { Knex } from "knex";
import { compiled, knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";

/** The attempts of one guesser in its window. */
export interface AttemptCount {
  key: string;
  attempts: number;
  failures: number;
  until: Date;
}

/** For how long failures are counted: 15 minutes. */
const WINDOW_MS = 15 * 60 * 1000;

/** The counts of keys whose window has not passed. */
export const currentCounts = (db: Database, keys: string[]) =>
  db.query<AttemptCount>(currentRows({ keys, now: new Date() }));

const currentRows = compiled("throttle-current", ["keys", "now"], ({ keys, now }) =>
  knex("throttle")
    .whereRaw("key = any(?::text[])", [keys])
    .where("until", ">", now)
    .select("key", "attempts", "failures", "until"),
);

/** Adds one attempt to each key, beginning a new window where the old one has passed. Sorted, so that none deadlock. */
export function countAttempt(db: Database, keys: string[], windowMs = WINDOW_MS): Promise<AttemptCount[]> {
  return db.query<AttemptCount>(toStatement(countSql([...keys].sort(), new Date(), windowMs)));
}

function countSql(keys: string[], now: Date, windowMs: number) {
  const until = new Date(now.getTime() + windowMs);
  const orAnew = (anew: string, onward: string) =>
    knex.raw(`case when t.until <= ? then ${anew} else ${onward} end`, [now]);
  return knex("throttle as t")
    .insert(keys.map((key) => ({ key, attempts: 1, failures: 0, until })))
    .onConflict("key")
    .merge({
      attempts: orAnew("1", "t.attempts + 1"),
      failures: orAnew("0", "t.failures"),
      until: orAnew("excluded.until", "t.until"),
    })
    .returning(["key", "attempts", "failures", "until"]);
}

/** Takes an attempt back that was not checked. */
export const giveBack = (db: Database, keys: string[]) =>
  change(db, keys, { attempts: knex.raw("greatest(attempts - 1, failures)") });

/** Counts only what failed, for attempts that nobody will end any more. */
export const forget = (db: Database, keys: string[]) => change(db, keys, { attempts: knex.ref("failures") });

/** Counts a failure; it stays counted as an attempt. */
export const recordFailure = (db: Database, keys: string[]) =>
  change(db, keys, {
    failures: knex.raw("failures + 1"),
    attempts: knex.raw("greatest(attempts, failures + 1)"),
  });

/** Forgets the failures of an account from one address: the password was right. */
export async function clearFailures(db: Database, keys: string[], pair: string): Promise<void> {
  await giveBack(db, keys);
  await db.query(toStatement(knex("throttle").where({ key: pair }).delete()));
}

/** Locks in the order in which `countAttempt` inserts, so that none deadlock. */
async function change(db: Database, keys: string[], assignments: Record<string, Knex.Raw | Knex.Ref<string, object>>) {
  const locked = knex("throttle").whereIn("key", keys).orderByRaw(`key collate "C"`).forUpdate().select("key");
  await db.query(toStatement(knex("throttle").whereIn("key", locked).update(assignments)));
}
