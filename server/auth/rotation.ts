import { compileStatement, knex } from "../../db/builder.ts";
import type { Transaction } from "../../db/open.ts";

/**
 * Time after the first use during which a refresh token may be used again, in case the response was lost or two calls
 * ran in parallel. A retired token that arrives within the same time revokes nothing.
 */
const REPEAT_MS = 10_000;

/** State of a presented refresh token. */
export interface Rotation {
  hash: Buffer;
  /** Hash of the token that was exchanged for this token. */
  parentHash: Buffer | null;
  rotatedAt: Date | null;
  retiredAt: Date | null;
  /** True if a successor of this token has been used. The token is then no longer the newest of any client. */
  superseded: boolean;
}

/**
 * Judges a refresh token. A token can be used once, with two exceptions: the immediate parent may be used again
 * within 10 s and gives a sibling, and the first used sibling retires the others. A retired token that arrives within
 * 10 s of its retirement comes from another tab, and is only rejected. Any other repeated use means that the token
 * was stolen.
 */
export function judge(token: Rotation, now: Date): "good" | "retired" | "replayed" {
  if (isOtherTab(token, now)) return "retired";
  return mayBeUsed(token, now) ? "good" : "replayed";
}

function mayBeUsed({ retiredAt, superseded, rotatedAt }: Rotation, now: Date): boolean {
  if (retiredAt || superseded) return false;
  return !rotatedAt || isRecent(rotatedAt, now);
}

/**
 * When the access tokens of two tabs expire together, each tab refreshes with its own sibling, shortly after one
 * another.
 */
const isOtherTab = ({ retiredAt, rotatedAt }: Rotation, now: Date): boolean =>
  retiredAt !== null && rotatedAt === null && isRecent(retiredAt, now);

/** A time further ahead than the clocks of servers may differ is not recent: a clock was set back. */
const AHEAD_MS = 120_000;

const isRecent = (at: Date, now: Date): boolean => {
  const passed = now.getTime() - at.getTime();
  return passed <= REPEAT_MS && passed >= -AHEAD_MS;
};

/** Tables of refresh tokens: for logins of users, and for OAuth apps. */
type Table = "refreshToken" | "oauthToken";

/** Columns that `judge` needs. The query must call the table `t`. */
export const rotationColumns = (table: Table) => [
  "t.hash",
  "t.parentHash",
  "t.rotatedAt",
  "t.retiredAt",
  {
    superseded: knex.raw(
      `exists (select from "${table}" c where c."parentHash" = t.hash and c."rotatedAt" is not null)`,
    ),
  },
];

/** Returns a function that records the first use of a valid token and retires its siblings. */
export function createFirstUseRecorder(table: Table) {
  const rotate = compileStatement(`rotate-${table}`, ["hash", "now"], ({ hash, now }) =>
    knex(table).where({ hash }).update({ rotatedAt: now }),
  );
  const retire = compileStatement(`retire-${table}`, ["parentHash", "hash", "now"], ({ parentHash, hash, now }) =>
    knex(table).where({ parentHash, retiredAt: null }).whereNot({ hash }).update({ retiredAt: now }),
  );
  return async (trx: Transaction, { hash, parentHash, rotatedAt }: Rotation, now: Date): Promise<void> => {
    if (rotatedAt) return;
    await trx.query(rotate({ hash, now }));
    await trx.query(retire({ parentHash, hash, now }));
  };
}
