import { knex, toStatement } from "../../../db/builder.ts";
import { readOwn } from "../../../formats/own.ts";
import { conflict } from "../../errors.ts";
import { type Entity, tenantColumn } from "../../read/entity.ts";
import { dropLinks, remove, update } from "../change.ts";
import { targets } from "../find.ts";
import type { Found } from "../rows.ts";
import type { Write } from "../write.ts";
import { type DependentLink, type DependentPairs, dependentsOf } from "./dependents.ts";

/** Makes way for rows to go: everything that links to them is dealt with as declared, refusals first. */
async function clearAway(removal: Removal, name: string, ids: readonly string[]): Promise<void> {
  const { write, going } = removal;
  const marked = going.get(name) ?? new Set();
  going.set(name, marked);
  for (const id of ids) marked.add(id);
  const { links, pairs, tables } = dependentsOf(write.model, name);
  for (const link of links) if (typeof link.onDelete === "object") await refuse(removal, link, link.onDelete, ids);
  for (const each of pairs) await dropPairs(removal, each, ids);
  for (const link of links) {
    await dealWith(removal, link, ids);
    // Rows that are left of one link may refuse the removal of rows of the next.
    if (removal.unfinished) return;
  }
  for (const [table, by] of Object.entries(tables)) dropLinks(write, table, { [by]: ids });
}

/** Makes way for rows that go with another. Returns whether they can go now: something of theirs may be left. */
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

/** Does with the rows of one link to what goes what the link declares. */
async function dealWith(removal: Removal, link: DependentLink, ids: readonly string[]): Promise<void> {
  const { write } = removal;
  const { entity, by, onDelete } = link;
  if (typeof onDelete === "object") return;
  if (onDelete === "cascade-silently" && !hasDependents(write, entity)) {
    dropLinks(write, entity.table, { [by]: ids });
    return;
  }
  const found = withinLimit(removal, link, await dependents(removal, link, ids, removal.limit + 1));
  if (found.length === 0) return;
  if (onDelete !== "detach" && !(await isClear(removal, entity.name, found))) return;
  for (const row of await targets(write, entity.name, found)) {
    if (onDelete === "detach") update(write, entity.name, row, { [by]: null });
    else remove(write, entity.name, row, onDelete === "cascade" ? undefined : "silent");
  }
}

/** Tells whether more than its own rows link to an entity's. */
function hasDependents({ model }: Write, entity: Entity): boolean {
  const { links, pairs, tables } = dependentsOf(model, entity.name);
  return links.some((link) => link.entity !== entity) || pairs.length > 0 || Object.keys(tables).length > 0;
}

/** Ids of rows that link to what goes and do not go themselves, oldest first. */
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

/** Drops the pairs of a link table; each row on the side that publishes them gets a change. */
async function dropPairs(removal: Removal, each: DependentPairs, ids: readonly string[]): Promise<void> {
  const { write, going, limit } = removal;
  const { pairs, owner, own } = each;
  const { table, from, to, publishedAs = "" } = pairs;
  if (own) {
    dropLinks(write, table, { [from]: ids });
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
  for (const row of await targets(write, owner.name, owners)) {
    const before = readOwn(row, publishedAs) as string[];
    const after = before.filter((id) => !ids.includes(id));
    update(write, owner.name, row, {}, { also: { [publishedAs]: { before, after } } });
  }
  if (owners.length > 0) dropLinks(write, table, { [from]: owners, [to]: ids });
}

/** Rows of one link that one transaction changes at most: it holds the organization's other writers back. */
const MOST = 5_000;

/** A removal under way. */
interface Removal {
  write: Write;
  /** Rows of one link that it changes at most. */
  limit: number;
  /** Ids of what goes, by entity: what links only to each other needs no detaching. */
  going: Map<string, Set<string>>;
  /** The link that has more rows than the limit; what it leads to stays for now. */
  unfinished?: DependentLink | DependentPairs;
}

/** As many as one transaction takes; a link that has more is unfinished. */
function withinLimit(
  removal: Removal,
  link: DependentLink | DependentPairs,
  ids: readonly string[],
): readonly string[] {
  if (ids.length <= removal.limit) return ids;
  removal.unfinished = link;
  return ids.slice(0, removal.limit);
}

/**
 * Removes a row for good, and does with everything that links to it what the links declare. A `silent` removal makes
 * no change of its own: the log has the change that moved the row to the trash.
 * @throws conflict for a link that refuses, or one with more rows than one transaction changes
 */
export async function removeForGood(write: Write, name: string, row: Found, silent?: "silent"): Promise<void> {
  const removal: Removal = { write, limit: MOST, going: new Map() };
  await clearAway(removal, name, [row.id]);
  if (removal.unfinished) throw tooMany(name, removal.unfinished);
  remove(write, name, row, silent);
}

/**
 * Removes a row from the trash, silently, and deals with at most `limit` rows of a link at a time. Returns whether it
 * was removed; otherwise the next call goes on.
 */
export async function purge(write: Write, name: string, row: Found, limit = 500): Promise<boolean> {
  const removal: Removal = { write, limit, going: new Map() };
  await clearAway(removal, name, [row.id]);
  if (removal.unfinished) return false;
  remove(write, name, row, "silent");
  return true;
}

/**
 * Empties every link that its declaration empties when the row goes for good; the row itself stays.
 * @throws conflict for a link with more rows than one transaction changes
 */
export async function detach(write: Write, name: string, { id }: { id: string }): Promise<void> {
  const removal: Removal = { write, limit: MOST, going: new Map() };
  const { links } = dependentsOf(write.model, name);
  for (const link of links) if (link.onDelete === "detach") await dealWith(removal, link, [id]);
  if (removal.unfinished) throw tooMany(name, removal.unfinished);
}

function tooMany(name: string, link: DependentLink | DependentPairs) {
  const { name: others } = "owner" in link ? link.owner : link.entity;
  return conflict(`more than ${MOST} rows of type ${others} refer to this ${name}; change those in batches first`);
}
