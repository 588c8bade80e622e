import { createHash } from "node:crypto";
import { knex, toStatement } from "../../db/builder.ts";
import { rateLimited } from "../errors.ts";
import type { Runtime } from "../runtime.ts";

/** The number of times that something may be done within a window. The window begins with the first time. */
export interface Rate {
  /** The kind of thing that is counted, and for whom. */
  of: readonly string[];
  most: number;
  windowMs: number;
  refusal: string;
}

/**
 * Counts one time more. The count is a row, raised by one statement: it holds for any number of servers at once.
 * LOGIN_THROTTLE turns it off with the other counts of who comes too often.
 * @throws rateLimited (429) with the seconds until the window ends.
 */
export async function countAgainst({ db, config }: Runtime, { of, most, windowMs, refusal }: Rate): Promise<void> {
  if (config.LOGIN_THROTTLE === "off") return;
  const now = new Date();
  const key = createHash("sha256")
    .update(["rate", ...of].join("\n"))
    .digest("base64url");
  const fresh = { key, attempts: 1, failures: 0, until: new Date(now.getTime() + windowMs) };
  const orAnew = (anew: string, onward: string) =>
    knex.raw(`case when t.until <= ? then ${anew} else ${onward} end`, [now]);
  const counted = knex("throttle as t")
    .insert(fresh)
    .onConflict("key")
    .merge({ attempts: orAnew("1", "t.attempts + 1"), until: orAnew("excluded.until", "t.until") })
    .returning(["attempts", "until"]);
  const [row] = await db.query<{ attempts: number; until: Date }>(toStatement(counted));
  if (!row || row.attempts <= most) return;
  throw rateLimited(refusal, Math.max(1, Math.ceil((row.until.getTime() - now.getTime()) / 1000)));
}
