import { isObject } from "../../formats/json.ts";
import { readOwn } from "../../formats/own.ts";
import { newId } from "../id.ts";
import type { Entity } from "../read/entity.ts";
import type { Found, NewRow, Patch, Raw } from "./rows.ts";
import { type Entry, enqueueUpdate, entityNamed, isPublic, keyOf, noteBefore, rowOf, type Write } from "./write.ts";

/** Options that make a change more than a plain update of columns. */
export interface ChangeOptions {
  /** Suffix of the domain event, e.g. `archived`. */
  event?: string;
  action?: "update" | "remove";
  /** When the row last changed, where that is not now: imports tell when it was. */
  updatedAt?: string;
  /** Published values beside the columns, such as `labelIds` or `identifier`, before and after. */
  also?: Record<string, { before: unknown; after: unknown }>;
  /** The change says nothing of the old values: there were secrets in them. */
  forgets?: true;
}

/**
 * Adds a row, with its change. Fills in the organization, the id and the moments; every other column that may not be
 * null must be given. Returns the row.
 */
export function create<Name extends string>(write: Write, name: Name, given: NewRow<Name>): { id: string } {
  const row: Raw = given;
  const entity = entityNamed(write, name);
  const id = String(row.id ?? newId());
  const { organizationId } = write.scope;
  const createdAt = String(row.createdAt ?? write.at);
  const updatedAt = notBefore(createdAt, String(row.updatedAt ?? write.at));
  const full = { ...row, id, organizationId, createdAt, updatedAt };
  const columns = columnsOf(entity);
  noteBefore(write, entity, id, "new");
  write.operations.push({ kind: "insert", table: entity.table, row: full, columns });
  write.rows.set(keyOf(name, id), { ...full });
  if (entity.event && isPublic(entity, full)) write.entries.push(creation(entity, id));
  return full;
}

const creation = (entity: Entity, id: string): Entry => ({
  entity,
  id,
  action: "create",
  event: `${entity.event}.created`,
});
const removal = (entity: Entity, id: string): Entry => ({
  entity,
  id,
  action: "remove",
  event: `${entity.event}.deleted`,
});

/** The moment of an update: not before its row was created, whatever the clocks of servers and imports say. */
const notBefore = (createdAt: unknown, at: string): string =>
  typeof createdAt === "string" && Date.parse(createdAt) > Date.parse(at) ? createdAt : at;

const tables = new WeakMap<Entity, readonly string[]>();

/** Every column of an entity's table. */
function columnsOf(entity: Entity): readonly string[] {
  const columns = tables.get(entity) ?? [
    ...new Set(["organizationId", ...Object.keys({ ...entity.columns, ...entity.internal })]),
  ];
  tables.set(entity, columns);
  return columns;
}

/** Changes a row, with its change; a patch that changes nothing writes nothing. Returns whether it did. */
export function update<Name extends string>(
  write: Write,
  name: Name,
  found: Found<Name>,
  patch: Patch<Name>,
  options: ChangeOptions = {},
): boolean {
  const before: Found = found;
  const entity = entityNamed(write, name);
  const also = Object.entries(options.also ?? {}).filter(([, { before: old, after }]) => !same(old, after));
  const changed = Object.entries({ ...patch, ...keptOf(entity, also) }).filter(
    ([key, value]) => value !== undefined && !same(value, readOwn(before, key)),
  );
  if (changed.length === 0 && also.length === 0) return false;
  const { id } = before;
  const updatedAt = notBefore(before.createdAt, options.updatedAt ?? write.at);
  const [was, is] = [isPublic(entity, before), isPublic(entity, { ...before, ...Object.fromEntries(changed) })];
  const late = was && !is;
  enqueueUpdate(write, entity, id, { ...Object.fromEntries(changed), updatedAt }, late);
  const row = write.rows.get(keyOf(name, id));
  if (row) for (const [key, { after }] of also) row[key] = after;
  if (!entity.event || !(was || is)) return true;
  // To those who read the log a row comes and goes with its being shared. It goes as they last saw it.
  if (was !== is) return write.entries.push(is ? creation(entity, id) : removal(entity, id)) > 0;
  const { action = "update", event = "updated", forgets } = options;
  const told = forgets ? [] : changed;
  const updatedFrom = {
    ...Object.fromEntries(
      told.flatMap(([key]) => (readOwn(entity.columns, key) ? [[key, readOwn(before, key) ?? null]] : [])),
    ),
    ...Object.fromEntries(also.map(([key, { before: old }]) => [key, old])),
    updatedAt: before.updatedAt,
  };
  const change = { entity, id, action, event: `${entity.event}.${event}` };
  write.entries.push(action === "update" ? { ...change, updatedFrom } : change);
  return true;
}

/** The columns that keep ids of links, where a change publishes others. */
const keptOf = ({ many = {} }: Entity, also: readonly [name: string, { after: unknown }][]): Raw =>
  Object.fromEntries(
    also.flatMap(([name, { after }]) => {
      const { kept } = Object.values(many).find(({ through }) => through?.publishedAs === name)?.through ?? {};
      return kept ? [[kept.column, kept.of(after as string[])]] : [];
    }),
  );

/** Tells whether two wire values are the same; absent is null, and lists of ids have no order. */
function same(one: unknown, other: unknown): boolean {
  if (isObject(one) && isObject(other)) return JSON.stringify(one) === JSON.stringify(other);
  if (!Array.isArray(one) || !Array.isArray(other)) return (one ?? null) === (other ?? null);
  return one.length === other.length && one.every((each) => other.includes(each));
}

/** Removes a row for good. Its change keeps what the row looked like; a `silent` removal makes none. */
export function remove(write: Write, name: string, before: Found, silent?: "silent"): void {
  const entity = entityNamed(write, name);
  const { id } = before;
  if (entity.event && !silent && isPublic(entity, before)) write.entries.push(removal(entity, id));
  noteBefore(write, entity, id);
  enqueueRemoval(write, entity, id);
  write.rows.set(keyOf(name, id), null);
}

/** Rows of one table go together, by their ids. */
function enqueueRemoval(write: Write, entity: Entity, id: string): void {
  const { table } = entity;
  const waiting = write.operations.findLast((operation) => operation.kind === "remove" && operation.table === table);
  if (waiting?.kind === "remove") waiting.where = { ...waiting.where, id: [waiting.where.id, id].flat() };
  else write.operations.push({ kind: "remove", table, where: rowOf(write, entity, id) });
}

/** Writes a row of a link table, which has no change of its own: its owner's change publishes the ids. */
export const addLink = (write: Write, table: string, row: Raw): void => {
  write.operations.push({ kind: "insert", table, row: { organizationId: write.scope.organizationId, ...row } });
};

/** Removes the rows of a link table that have these values; a list stands for any of its values. */
export const dropLinks = (write: Write, table: string, where: Raw): void => {
  write.operations.push({ kind: "delete", table, where: { organizationId: write.scope.organizationId, ...where } });
};

/** Sets columns that make no change: counters. */
export const setInternal = <Name extends string>(write: Write, name: Name, id: string, patch: Patch<Name>): void => {
  enqueueUpdate(write, entityNamed(write, name), id, patch);
};
