import { knex, toStatement } from "../../../db/builder.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { conflict } from "../../errors.ts";
import { type Entity, tenantColumn } from "../../read/entity.ts";
import { deleteLinkRows, deleteRow, updateRow } from "../change.ts";
import { findRowsOrThrow } from "../find.ts";
import type { LoadedRow } from "../rows.ts";
import type { WriteContext } from "../write.ts";
import { type DependentLink, type DependentLinkTable, findEntityDependents } from "./dependents.ts";

/**
 * Handles every declared reference to the rows before the rows are deleted. Links that can refuse the deletion are
 * handled first.
 */
async function clearAway(removal: Removal, name: string, ids: readonly string[]): Promise<void> {
  const { write, going } = removal;
  const marked = going.get(name) ?? new Set();
  going.set(name, marked);
  for (const id of ids) marked.add(id);
  const { links, pairs, tables } = findEntityDependents(write.model, name);
  for (const link of links) if (typeof link.onDelete === "object") await refuse(removal, link, link.onDelete, ids);
  for (const each of pairs) await dropPairs(removal, each, ids);
  for (const link of links) {
    await dealWith(removal, link, ids);
    // The limit left some rows of this link. These rows could refuse the deletion of the next link's rows, so the
    // remaining links are not handled yet.
    if (removal.unfinished) return;
  }
  for (const [table, by] of Object.entries(tables)) deleteLinkRows(write, table, { [by]: ids });
}

/**
 * Handles the references to rows that are deleted together with another row. Returns false if some references remain.
 */
async function isClear(removal: Removal, name: string, ids: readonly string[]): Promise<boolean> {
  const { unfinished } = removal;
  delete removal.unfinished;
  await clearAway(removal, name, ids);
  const clear = !removal.unfinished;
  if (unfinished) removal.unfinished = unfinished;
  return clear;
}

async function refuse(
  removal: Removal,
  link: DependentLink,
  { refuse: reason }: { refuse: string },
  ids: readonly string[],
): Promise<void> {
  const staying = await dependents(removal, link, ids, 1);
  if (staying.length > 0) throw conflict(reason);
}

/** Applies the declared `onDelete` of one link to the rows that reference the deleted rows. */
async function dealWith(removal: Removal, link: DependentLink, ids: readonly string[]): Promise<void> {
  const { write } = removal;
  const { entity, by, onDelete } = link;
  if (typeof onDelete === "object") return;
  if (onDelete === "cascade-silently" && !hasDependents(write, entity)) {
    deleteLinkRows(write, entity.table, { [by]: ids });
    return;
  }
  const found = withinLimit(removal, link, await dependents(removal, link, ids, removal.limit + 1));
  if (found.length === 0) return;
  if (onDelete !== "detach" && !(await isClear(removal, entity.name, found))) return;
  for (const row of await findRowsOrThrow(write, entity.name, found)) {
    if (onDelete === "detach") updateRow(write, entity.name, row, { [by]: null });
    else deleteRow(write, entity.name, row, onDelete === "cascade" ? undefined : "silent");
  }
}

/** Returns true if rows of other entities, link tables or other tables reference an entity's rows. */
function hasDependents({ model }: WriteContext, entity: Entity): boolean {
  const { links, pairs, tables } = findEntityDependents(model, entity.name);
  return links.some((link) => link.entity !== entity) || pairs.length > 0 || Object.keys(tables).length > 0;
}

/** Returns the ids of rows that reference the deleted rows and are not deleted themselves, oldest first. */
async function dependents(removal: Removal, link: DependentLink, ids: readonly string[], limit: number) {
  const { write, going } = removal;
  const { entity, by } = link;
  const others = knex(entity.table)
    .where(tenantColumn(entity), write.scope.organizationId)
    .whereRaw("?? = any(?::uuid[])", [by, [...ids]])
    .whereRaw("id <> all(?::uuid[])", [[...(going.get(entity.name) ?? [])]]);
  const rows = await write.trx.query<{ id: string }>(
    toStatement(others.orderBy(["createdAt", "id"]).limit(limit).select("id"), { reads: [entity.table] }),
  );
  return rows.map(({ id }) => id);
}

/** Deletes the pairs from a link table, and logs a change for each row whose changes publish the pairs. */
async function dropPairs(removal: Removal, each: DependentLinkTable, ids: readonly string[]): Promise<void> {
  const { write, going, limit } = removal;
  const { pairs, owner, own } = each;
  const { table, from, to, publishedAs = "" } = pairs;
  if (own) {
    deleteLinkRows(write, table, { [from]: ids });
    return;
  }
  const others = knex(table)
    .where({ organizationId: write.scope.organizationId })
    .whereRaw("?? = any(?::uuid[])", [to, [...ids]])
    .whereRaw("?? <> all(?::uuid[])", [from, [...(going.get(owner.name) ?? [])]]);
  const rows = await write.trx.query<{ id: string }>(
    toStatement(
      others
        .distinct({ id: from })
        .orderBy("id")
        .limit(limit + 1),
      { reads: [table] },
    ),
  );
  const owners = withinLimit(
    removal,
    each,
    rows.map(({ id }) => id),
  );
  for (const row of await findRowsOrThrow(write, owner.name, owners)) {
    const before = getOwnProperty(row, publishedAs) as string[];
    const after = before.filter((id) => !ids.includes(id));
    updateRow(write, owner.name, row, {}, { also: { [publishedAs]: { before, after } } });
  }
  if (owners.length > 0) deleteLinkRows(write, table, { [from]: owners, [to]: ids });
}

/**
 * Maximum number of rows per link that one transaction changes. The transaction blocks the organization's other
 * writers.
 */
const MOST = 5_000;

/** State of a running deletion. */
interface Removal {
  write: WriteContext;
  /** Maximum number of rows per link that this deletion changes. */
  limit: number;
  /** Ids of the rows being deleted, by entity. A reference between two deleted rows needs no detaching. */
  going: Map<string, Set<string>>;
  /** A link with more rows than the limit. The rows that the link references are not deleted yet. */
  unfinished?: DependentLink | DependentLinkTable;
}

/** Returns the ids up to the limit, and marks the link as unfinished if ids remain. */
function withinLimit(
  removal: Removal,
  link: DependentLink | DependentLinkTable,
  ids: readonly string[],
): readonly string[] {
  if (ids.length <= removal.limit) return ids;
  removal.unfinished = link;
  return ids.slice(0, removal.limit);
}

/**
 * Deletes a row permanently and applies the declared `onDelete` of every link to the row. A `silent` deletion logs no
 * change for the row, because the log already contains the change that moved the row to the trash.
 * @throws conflict for a link that refuses, or for a link with more rows than the limit of a transaction
 */
export async function deleteRowPermanently(
  write: WriteContext,
  name: string,
  row: LoadedRow,
  silent?: "silent",
): Promise<void> {
  const removal: Removal = { write, limit: MOST, going: new Map() };
  await clearAway(removal, name, [row.id]);
  if (removal.unfinished) throw tooMany(name, removal.unfinished);
  deleteRow(write, name, row, silent);
}

/**
 * Deletes a row from the trash without logging a change. Handles at most `limit` rows per link and call. Returns true
 * if the row was deleted; if not, the next call continues.
 */
export async function purgeRow(write: WriteContext, name: string, row: LoadedRow, limit = 500): Promise<boolean> {
  const removal: Removal = { write, limit, going: new Map() };
  await clearAway(removal, name, [row.id]);
  if (removal.unfinished) return false;
  deleteRow(write, name, row, "silent");
  return true;
}

/**
 * Sets every reference to the row to null where the link declares `onDelete: "detach"`. The row is not deleted.
 * @throws conflict for a link with more rows than the limit of a transaction
 */
export async function detachReferences(write: WriteContext, name: string, { id }: { id: string }): Promise<void> {
  const removal: Removal = { write, limit: MOST, going: new Map() };
  const { links } = findEntityDependents(write.model, name);
  for (const link of links) if (link.onDelete === "detach") await dealWith(removal, link, [id]);
  if (removal.unfinished) throw tooMany(name, removal.unfinished);
}

function tooMany(name: string, link: DependentLink | DependentLinkTable) {
  const { name: others } = "owner" in link ? link.owner : link.entity;
  return conflict(`more than ${MOST} rows of type ${others} refer to this ${name}; change those in batches first`);
}
