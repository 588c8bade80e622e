import { compiled, knex } from "../../db/builder.ts";
import type { Transaction } from "../../db/open.ts";

/**
 * For this long after its first use a refresh token may be used again, in case the answer was lost or calls ran side by
 * side; and for as long a retired one does no harm.
 */
const REPEAT_MS = 10_000;

/** The state of a refresh token that is presented. */
export interface Rotation {
  hash: Buffer;
  /** The token that this one was traded for. */
  parentHash: Buffer | null;
  rotatedAt: Date | null;
  retiredAt: Date | null;
  /** True when a successor of this token has been used: then this one is nobody's newest any more. */
  superseded: boolean;
}

/**
 * Judges a refresh token. Each is good once, with two mercies: the immediate parent may repeat within 10 s and gets a
 * sibling, and the first sibling used retires the others. A retired one that comes within 10 s of that is another tab's:
 * it is refused, and nothing else happens. Anything else is a replay by a thief or after one.
 */
export function judge(token: Rotation, now: Date): "good" | "retired" | "replayed" {
  if (isOtherTab(token, now)) return "retired";
  return mayBeUsed(token, now) ? "good" : "replayed";
}

function mayBeUsed({ retiredAt, superseded, rotatedAt }: Rotation, now: Date): boolean {
  if (retiredAt || superseded) return false;
  return !rotatedAt || isRecent(rotatedAt, now);
}

/** Two tabs whose access tokens end together each refresh with a sibling of their own, one just after the other. */
const isOtherTab = ({ retiredAt, rotatedAt }: Rotation, now: Date): boolean =>
  retiredAt !== null && rotatedAt === null && isRecent(retiredAt, now);

const isRecent = (at: Date, now: Date): boolean => now.getTime() - at.getTime() <= REPEAT_MS;

/** The tables of refresh tokens: of people who logged in, and of programs that they let in. */
type Table = "refreshToken" | "oauthToken";

/** The columns of a refresh token to judge, of a table that the query calls `t`. */
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

/** Makes the function that notes the first use of a good token, and retires its siblings. */
export function firstUseOf(table: Table) {
  const rotate = compiled(`rotate-${table}`, ["hash", "now"], ({ hash, now }) =>
    knex(table).where({ hash }).update({ rotatedAt: now }),
  );
  const retire = compiled(`retire-${table}`, ["parentHash", "hash", "now"], ({ parentHash, hash, now }) =>
    knex(table).where({ parentHash, retiredAt: null }).whereNot({ hash }).update({ retiredAt: now }),
  );
  return async (trx: Transaction, { hash, parentHash, rotatedAt }: Rotation, now: Date): Promise<void> => {
    if (rotatedAt) return;
    await trx.query(rotate({ hash, now }));
    await trx.query(retire({ parentHash, hash, now }));
  };
}
