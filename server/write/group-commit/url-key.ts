import { compiled, knex } from "../../../db/builder.ts";
import { checkSql } from "../../../db/checks.ts";
import type { Transaction } from "../../../db/open.ts";
import type { RowCache } from "./row-cache.ts";
import type { SharedTransaction } from "./shared-transaction.ts";

/**
 * The organization's urlKey, which stays what it is until the commit: whoever changes it holds the same lock. A cached one
 * is used at once, and the database checks in the transaction itself that it still is right.
 */
export function urlKeyOf(trx: Transaction, shared: SharedTransaction): Promise<string> {
  const { organizationId, rows } = shared;
  shared.urlKey ??=
    rows.known.urlKey === undefined
      ? readUrlKey(trx, rows, organizationId)
      : checked(trx, organizationId, rows.known.urlKey);
  return shared.urlKey;
}

/** Call when the transaction may have changed it. */
export function forgetUrlKey(shared: SharedTransaction): void {
  shared.urlKey = undefined;
  shared.rows.known.urlKey = undefined;
}

/** Reads it, once the lock is held. */
export async function readUrlKey(trx: Transaction, rows: RowCache, organizationId: string): Promise<string> {
  const [row] = await trx.query<{ urlKey: string }>(select({ organizationId }));
  rows.known.urlKey = row?.urlKey;
  return row?.urlKey ?? "";
}

async function checked(trx: Transaction, organizationId: string, urlKey: string): Promise<string> {
  void trx.query(check({ organizationId, urlKey }));
  return urlKey;
}

const select = compiled(
  "url-key",
  ["organizationId"],
  ({ organizationId }) => knex("organization").where({ id: organizationId }).select("urlKey"),
  { reads: ["organization"] },
);

const check = compiled(
  "url-key-is",
  ["organizationId", "urlKey"],
  ({ organizationId, urlKey }) =>
    knex("organization")
      .where({ id: organizationId })
      .select(knex.raw(checkSql("cacheIsCurrent", `"urlKey" = ?`), [urlKey])),
  { reads: ["organization"] },
);
