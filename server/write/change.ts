import { isObject } from "../../formats/json.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { newId } from "../id.ts";
import type { Entity } from "../read/entity.ts";
import type { LoadedRow, NewRow, RowPatch, WireRow } from "./rows.ts";
import {
  buildRowCondition,
  buildRowKey,
  enqueueUpdate,
  getEntityByName,
  isVisibleToAllMembers,
  type PendingChange,
  recordRowBeforeChange,
  type WriteContext,
} from "./write.ts";

/** Options for a change that is more than a plain update of columns. */
export interface ChangeOptions {
  /** Suffix of the event name, such as `archived` in `issue.archived`. */
  event?: string;
  action?: "update" | "remove";
  /** Time of the row's last change, if not now. Imports set the time that the source reports. */
  updatedAt?: string;
  /** Published values that are not columns, such as `labelIds` or `identifier`, before and after the change. */
  also?: Record<string, { before: unknown; after: unknown }>;
  /** Omits old values from the change, because the old values contained secrets. */
  forgets?: true;
}

/**
 * Inserts a row and logs the change. Sets the organization, the id and the timestamps if absent; the caller must give
 * every other non-null column. Returns the complete row.
 */
export function createRow<Name extends string>(write: WriteContext, name: Name, given: NewRow<Name>): { id: string } {
  const row: WireRow = given;
  const entity = getEntityByName(write, name);
  const id = String(row.id ?? newId());
  const { organizationId } = write.scope;
  const createdAt = String(row.createdAt ?? write.at);
  const updatedAt = notBefore(createdAt, String(row.updatedAt ?? write.at));
  const full = { ...row, id, organizationId, createdAt, updatedAt };
  const columns = columnsOf(entity);
  recordRowBeforeChange(write, entity, id, "new");
  write.operations.push({ kind: "insert", table: entity.table, row: full, columns });
  write.rows.set(buildRowKey(name, id), { ...full });
  if (entity.event && isVisibleToAllMembers(entity, full)) write.entries.push(creation(entity, id));
  return full;
}

const creation = (entity: Entity, id: string): PendingChange => ({
  entity,
  id,
  action: "create",
  event: `${entity.event}.created`,
});
const removal = (entity: Entity, id: string): PendingChange => ({
  entity,
  id,
  action: "remove",
  event: `${entity.event}.deleted`,
});

/** Returns the time of an update, but never a time before `createdAt`: the clocks of servers and imports may differ. */
const notBefore = (createdAt: unknown, at: string): string =>
  typeof createdAt === "string" && Date.parse(createdAt) > Date.parse(at) ? createdAt : at;

const tables = new WeakMap<Entity, readonly string[]>();

/** Returns the names of all columns of an entity's table. */
function columnsOf(entity: Entity): readonly string[] {
  const columns = tables.get(entity) ?? [
    ...new Set(["organizationId", ...Object.keys({ ...entity.columns, ...entity.internal })]),
  ];
  tables.set(entity, columns);
  return columns;
}

/** Updates a row and logs the change. Writes nothing if the patch changes no value. Returns true if the row changed. */
export function updateRow<Name extends string>(
  write: WriteContext,
  name: Name,
  found: LoadedRow<Name>,
  patch: RowPatch<Name>,
  options: ChangeOptions = {},
): boolean {
  const before: LoadedRow = found;
  const entity = getEntityByName(write, name);
  const also = Object.entries(options.also ?? {}).filter(([, { before: old, after }]) => !same(old, after));
  const changed = Object.entries({ ...patch, ...keptOf(entity, also) }).filter(
    ([key, value]) => value !== undefined && !same(value, getOwnProperty(before, key)),
  );
  if (changed.length === 0 && also.length === 0) return false;
  const { id } = before;
  const updatedAt = notBefore(before.createdAt, options.updatedAt ?? write.at);
  const [was, is] = [
    isVisibleToAllMembers(entity, before),
    isVisibleToAllMembers(entity, { ...before, ...Object.fromEntries(changed) }),
  ];
  const late = was && !is;
  enqueueUpdate(write, entity, id, { ...Object.fromEntries(changed), updatedAt }, late);
  const row = write.rows.get(buildRowKey(name, id));
  if (row) for (const [key, { after }] of also) row[key] = after;
  if (!entity.event || !(was || is)) return true;
  // Readers of the change log see only shared rows. When a row becomes shared, the log records a creation; when a row
  // becomes private, the log records a removal with the last shared values.
  if (was !== is) return write.entries.push(is ? creation(entity, id) : removal(entity, id)) > 0;
  const { action = "update", event = "updated", forgets } = options;
  const told = forgets ? [] : changed;
  const updatedFrom = {
    ...Object.fromEntries(
      told.flatMap(([key]) =>
        getOwnProperty(entity.columns, key) ? [[key, getOwnProperty(before, key) ?? null]] : [],
      ),
    ),
    ...Object.fromEntries(also.map(([key, { before: old }]) => [key, old])),
    updatedAt: before.updatedAt,
  };
  const change = { entity, id, action, event: `${entity.event}.${event}` };
  write.entries.push(action === "update" ? { ...change, updatedFrom } : change);
  return true;
}

/**
 * Some columns store the ids of a link in addition to the link table. Returns the new values of these columns, for
 * changes that publish the link's ids.
 */
const keptOf = ({ many = {} }: Entity, also: readonly [name: string, { after: unknown }][]): WireRow =>
  Object.fromEntries(
    also.flatMap(([name, { after }]) => {
      const { kept } = Object.values(many).find(({ through }) => through?.publishedAs === name)?.through ?? {};
      return kept ? [[kept.column, kept.of(after as string[])]] : [];
    }),
  );

/** Compares two values in wire format. An absent value equals null, and lists of ids are equal in any order. */
function same(one: unknown, other: unknown): boolean {
  if (isObject(one) && isObject(other)) return JSON.stringify(one) === JSON.stringify(other);
  if (!Array.isArray(one) || !Array.isArray(other)) return (one ?? null) === (other ?? null);
  return one.length === other.length && one.every((each) => other.includes(each));
}

/** Deletes a row permanently. The change contains the row's last values. A `silent` removal logs no change. */
export function deleteRow(write: WriteContext, name: string, before: LoadedRow, silent?: "silent"): void {
  const entity = getEntityByName(write, name);
  const { id } = before;
  if (entity.event && !silent && isVisibleToAllMembers(entity, before)) write.entries.push(removal(entity, id));
  recordRowBeforeChange(write, entity, id);
  enqueueRemoval(write, entity, id);
  write.rows.set(buildRowKey(name, id), null);
}

/** Collects removals from one table into one operation with a list of ids. */
function enqueueRemoval(write: WriteContext, entity: Entity, id: string): void {
  const { table } = entity;
  const waiting = write.operations.findLast((operation) => operation.kind === "remove" && operation.table === table);
  if (waiting?.kind === "remove") waiting.where = { ...waiting.where, id: [waiting.where.id, id].flat() };
  else write.operations.push({ kind: "remove", table, where: buildRowCondition(write, entity, id) });
}

/** Inserts a row of a link table. The link table has no changes of its own; the owner's change publishes the ids. */
export const insertLinkRow = (write: WriteContext, table: string, row: WireRow): void => {
  write.operations.push({ kind: "insert", table, row: { organizationId: write.scope.organizationId, ...row } });
};

/** Deletes the rows of a link table that match all values of `where`. A list in `where` matches any of its values. */
export const deleteLinkRows = (write: WriteContext, table: string, where: WireRow): void => {
  write.operations.push({ kind: "delete", table, where: { organizationId: write.scope.organizationId, ...where } });
};

/** Sets internal columns, such as counters, without logging a change. */
export const setInternalColumns = <Name extends string>(
  write: WriteContext,
  name: Name,
  id: string,
  patch: RowPatch<Name>,
): void => {
  enqueueUpdate(write, getEntityByName(write, name), id, patch);
};
