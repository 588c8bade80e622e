import { definePreparedStatement, knex } from "../../../db/builder.ts";
import { buildCheckSql } from "../../../db/checks.ts";
import type { Statement, Transaction } from "../../../db/open.ts";
import type { Entity, EntityModel } from "../../read/entity.ts";
import type { WriteContext } from "../write.ts";
import { cacheActor, clearCachedActors, type OrganizationFacts, type RowCache } from "./row-cache.ts";
import type { SharedTransaction } from "./shared-transaction.ts";

/**
 * Values for the change log that are not in the changed rows. `actor` is undefined if the statement must read the
 * author itself.
 */
export interface ChangeLogContext {
  urlKey: string;
  actor: string | undefined;
  known: OrganizationFacts;
}

/** Reads the log context for the changes of a mutation. */
export async function readChangeLogContext(write: WriteContext, shared: SharedTransaction): Promise<ChangeLogContext> {
  const { known } = shared.rows;
  if (write.entries.length === 0) return { urlKey: "", actor: undefined, known };
  const [urlKey, actor] = await Promise.all([urlKeyOf(write.trx, shared), actorOf(write, shared)]);
  return { urlKey, actor, known };
}

/** Returns the entity whose rows are the authors of changes. */
export function findActorEntity(model: EntityModel): Entity & Required<Pick<Entity, "actor">> {
  const found = [...model.values()].find(({ actor }) => actor);
  if (!found) throw new Error("no entity makes changes");
  return found as Entity & Required<Pick<Entity, "actor">>;
}

/**
 * Returns the author of a mutation's changes, as JSON. Returns undefined if the log statement should read the author
 * itself: for the server's own jobs, for changes to authors, and when nothing is cached, because a separate read
 * would serve only one mutation.
 */
async function actorOf(write: WriteContext, shared: SharedTransaction): Promise<string | undefined> {
  const { trx, scope, model, entries } = write;
  const { known, version } = shared.rows;
  if (entries.some(({ entity }) => entity.actor)) {
    clearCachedActors(known);
    return undefined;
  }
  if (scope.system || version === undefined) return undefined;
  const remembered = known.actors.get(scope.userId);
  if (remembered !== undefined) return remembered;
  const [found] = await trx.query<{ actor: string | null }>(readActor(findActorEntity(model), scope));
  if (!found?.actor) return undefined;
  cacheActor(known, scope.userId, found.actor);
  return found.actor;
}

const readActor = (
  { actor, table }: ReturnType<typeof findActorEntity>,
  { organizationId, userId }: WriteContext["scope"],
): Statement => ({
  name: "actor",
  text: `select ${actor("$1::uuid", "$2::uuid")}::text as actor`,
  values: [organizationId, userId],
  reads: [table],
  writes: [],
});

/**
 * Returns the organization's `urlKey`, which cannot change before the commit, because every writer needs the same
 * lock. A cached value is used immediately, and the database checks the value within the transaction.
 */
function urlKeyOf(trx: Transaction, shared: SharedTransaction): Promise<string> {
  const { organizationId, rows } = shared;
  shared.urlKey ??=
    rows.known.urlKey === undefined
      ? readUrlKey(trx, rows, organizationId)
      : checked(trx, organizationId, rows.known.urlKey);
  return shared.urlKey;
}

/** Discards the `urlKey` if the transaction may have changed the value. */
export function forgetUrlKey(shared: SharedTransaction): void {
  shared.urlKey = undefined;
  shared.rows.known.urlKey = undefined;
}

/** Reads the `urlKey` after the transaction has taken the lock. */
export async function readUrlKey(trx: Transaction, rows: RowCache, organizationId: string): Promise<string> {
  const [row] = await trx.query<{ urlKey: string }>(selectUrlKey({ organizationId }));
  rows.known.urlKey = row?.urlKey;
  return row?.urlKey ?? "";
}

async function checked(trx: Transaction, organizationId: string, urlKey: string): Promise<string> {
  void trx.query(checkUrlKey({ organizationId, urlKey }));
  return urlKey;
}

const selectUrlKey = definePreparedStatement(
  "url-key",
  ["organizationId"],
  ({ organizationId }) => knex("organization").where({ id: organizationId }).select("urlKey"),
  { reads: ["organization"] },
);

const checkUrlKey = definePreparedStatement(
  "url-key-is",
  ["organizationId", "urlKey"],
  ({ organizationId, urlKey }) =>
    knex("organization")
      .where({ id: organizationId })
      .select(knex.raw(buildCheckSql("cacheIsCurrent", `"urlKey" = ?`), [urlKey])),
  { reads: ["organization"] },
);
