import { definePreparedStatement, knex } from "../../db/builder.ts";
import type { Transaction } from "../../db/open.ts";

/**
 * Time in ms after the first use of a refresh token during which the token may be used again, because the first
 * response may be lost or two calls may run in parallel. A retired token that arrives within the same time after its
 * retirement revokes nothing.
 */
const REPEAT_MS = 10_000;

/** State of a presented refresh token. */
export interface RefreshTokenState {
  hash: Buffer;
  /** Hash of the token that was exchanged for this token. */
  parentHash: Buffer | null;
  rotatedAt: Date | null;
  retiredAt: Date | null;
  /** True if a successor of this token has been used. The client then has a newer token. */
  superseded: boolean;
}

/**
 * Judges a refresh token, which can normally be used once. A token may be used again within 10 s of its first use if
 * its successor has not been used; the second successor is a sibling of the first, and the first sibling that is used
 * retires the other siblings. A retired token that arrives within 10 s of its retirement comes from another tab, and is
 * only rejected. Any other repeated use means that the token was stolen.
 */
export function judgeRefreshToken(token: RefreshTokenState, now: Date): "good" | "retired" | "replayed" {
  if (isOtherTab(token, now)) return "retired";
  return mayBeUsed(token, now) ? "good" : "replayed";
}

function mayBeUsed({ retiredAt, superseded, rotatedAt }: RefreshTokenState, now: Date): boolean {
  if (retiredAt || superseded) return false;
  return !rotatedAt || isRecent(rotatedAt, now);
}

/**
 * Returns true if a retired token comes from another tab. When the access tokens of two tabs expire together, each tab
 * refreshes with its own sibling, shortly after the other tab.
 */
const isOtherTab = ({ retiredAt, rotatedAt }: RefreshTokenState, now: Date): boolean =>
  retiredAt !== null && rotatedAt === null && isRecent(retiredAt, now);

/**
 * Maximum time in ms by which a stored time may be ahead of this server's clock, because the clocks of servers differ.
 * A time further ahead is not recent, because a clock was set back.
 */
const AHEAD_MS = 120_000;

const isRecent = (at: Date, now: Date): boolean => {
  const passed = now.getTime() - at.getTime();
  return passed <= REPEAT_MS && passed >= -AHEAD_MS;
};

/** Tables of refresh tokens: for logins of users, and for OAuth apps. */
type Table = "refreshToken" | "oauthToken";

/** Columns that `judgeRefreshToken` needs. The query must call the table `t`. */
export const refreshTokenStateColumns = (table: Table) => [
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
export function createTokenFirstUseRecorder(table: Table) {
  const rotate = definePreparedStatement(`rotate-${table}`, ["hash", "now"], ({ hash, now }) =>
    knex(table).where({ hash }).update({ rotatedAt: now }),
  );
  const retire = definePreparedStatement(
    `retire-${table}`,
    ["parentHash", "hash", "now"],
    ({ parentHash, hash, now }) =>
      knex(table).where({ parentHash, retiredAt: null }).whereNot({ hash }).update({ retiredAt: now }),
  );
  return async (trx: Transaction, { hash, parentHash, rotatedAt }: RefreshTokenState, now: Date): Promise<void> => {
    if (rotatedAt) return;
    await trx.query(rotate({ hash, now }));
    await trx.query(retire({ parentHash, hash, now }));
  };
}
