import { compiled, knex } from "../../../db/builder.ts";
import { checkSql } from "../../../db/checks.ts";
import type { Statement, Transaction } from "../../../db/open.ts";
import type { Entity, Model } from "../../read/entity.ts";
import type { Write } from "../write.ts";
import { forgetActors, type Known, noteActor, type RowCache } from "./row-cache.ts";
import type { SharedTransaction } from "./shared-transaction.ts";

/** Values that the change log is made of beside the rows: the author only where it is known. */
export interface LogContext {
  urlKey: string;
  actor: string | undefined;
  known: Known;
}

/** Reads it for the changes of a mutation. */
export async function logContextOf(write: Write, shared: SharedTransaction): Promise<LogContext> {
  const { known } = shared.rows;
  if (write.entries.length === 0) return { urlKey: "", actor: undefined, known };
  const [urlKey, actor] = await Promise.all([urlKeyOf(write.trx, shared), actorOf(write, shared)]);
  return { urlKey, actor, known };
}

/** The entity whose rows make changes. */
export function actors(model: Model): Entity & Required<Pick<Entity, "actor">> {
  const found = [...model.values()].find(({ actor }) => actor);
  if (!found) throw new Error("no entity makes changes");
  return found as Entity & Required<Pick<Entity, "actor">>;
}

/**
 * The author of a mutation's changes, as JSON. Undefined where that is left to the statement that writes them: for the
 * server's own jobs, for changes of authors themselves, and where nothing is cached, so that it would be read for one time.
 */
async function actorOf(write: Write, shared: SharedTransaction): Promise<string | undefined> {
  const { trx, scope, model, entries } = write;
  const { known, version } = shared.rows;
  if (entries.some(({ entity }) => entity.actor)) {
    forgetActors(known);
    return undefined;
  }
  if (scope.system || version === undefined) return undefined;
  const remembered = known.actors.get(scope.userId);
  if (remembered !== undefined) return remembered;
  const [found] = await trx.query<{ actor: string | null }>(readActor(actors(model), scope));
  if (!found?.actor) return undefined;
  noteActor(known, scope.userId, found.actor);
  return found.actor;
}

const readActor = (
  { actor, table }: ReturnType<typeof actors>,
  { organizationId, userId }: Write["scope"],
): Statement => ({
  name: "actor",
  text: `select ${actor("$1::uuid", "$2::uuid")}::text as actor`,
  values: [organizationId, userId],
  reads: [table],
  writes: [],
});

/**
 * The organization's urlKey, which stays what it is until the commit: whoever changes it holds the same lock. A cached one
 * is used at once, and the database checks in the transaction itself that it still is right.
 */
function urlKeyOf(trx: Transaction, shared: SharedTransaction): Promise<string> {
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
  const [row] = await trx.query<{ urlKey: string }>(selectUrlKey({ organizationId }));
  rows.known.urlKey = row?.urlKey;
  return row?.urlKey ?? "";
}

async function checked(trx: Transaction, organizationId: string, urlKey: string): Promise<string> {
  void trx.query(checkUrlKey({ organizationId, urlKey }));
  return urlKey;
}

const selectUrlKey = compiled(
  "url-key",
  ["organizationId"],
  ({ organizationId }) => knex("organization").where({ id: organizationId }).select("urlKey"),
  { reads: ["organization"] },
);

const checkUrlKey = compiled(
  "url-key-is",
  ["organizationId", "urlKey"],
  ({ organizationId, urlKey }) =>
    knex("organization")
      .where({ id: organizationId })
      .select(knex.raw(checkSql("cacheIsCurrent", `"urlKey" = ?`), [urlKey])),
  { reads: ["organization"] },
);
