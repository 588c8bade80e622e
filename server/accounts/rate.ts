import { createHash } from "node:crypto";
import { rateLimited } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { countAttempt } from "./login/attempt-counts.ts";

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
  const key = createHash("sha256")
    .update(["rate", ...of].join("\n"))
    .digest("base64url");
  const [row] = await countAttempt(db, [key], windowMs);
  if (!row || row.attempts <= most) return;
  throw rateLimited(refusal, Math.max(1, Math.ceil((row.until.getTime() - Date.now()) / 1000)));
}
