import type { Statement, Transaction } from "../../db/open.ts";
import { readOwn } from "../../formats/own.ts";
import { isUuid } from "../../formats/uuid.ts";
import { type Entity, type Model, tenantColumn } from "../read/entity.ts";
import type { Scope } from "../scope.ts";
import type { Derived } from "./derived/derived.ts";
import type { Raw } from "./rows.ts";

/**
 * One row change that waits for the flush. `remove` waits until the log has seen the row for the last time, and so does
 * an update that is `late`.
 */
export type Operation =
  | { kind: "insert"; table: string; row: Raw; columns?: readonly string[] }
  | { kind: "update"; table: string; patch: Raw; where: Raw; late?: true }
  /** A list stands for any of its values. */
  | { kind: "delete" | "remove"; table: string; where: Raw };

/** One change-log entry that waits for the flush. */
export interface Entry {
  entity: Entity;
  id: string;
  action: "create" | "update" | "remove";
  event: string;
  updatedFrom?: Raw;
  /** Values that what it publishes is given, by name. */
  given?: Raw;
}

/** The handle through which a mutation's function writes. It exists only inside the transaction that made it. */
export interface Write {
  scope: Scope;
  model: Model;
  trx: Transaction;
  /** The moment of the mutation, ISO 8601. */
  at: string;
  operations: Operation[];
  entries: Entry[];
  /** Statements that keep derived columns right, sent once everything else is written. */
  followUps: Statement[];
  /** Rows as they will be after the flush, as far as they were read or written; null = there is none. */
  rows: Map<string, (Raw & { id: string }) | null>;
  /** Rows that something is derived from, as they were before this mutation, as far as it writes them. */
  before: Map<string, { entity: Entity; id: string; row: Raw | null }>;
  /** Consequences of this mutation and those before it, which are written at the end of the transaction. */
  derived: Derived;
  /** A row of a small table from the row cache, or one that was read for several mutations at once. */
  cachedRow(key: string): (Raw & { id: string }) | undefined;
  /** Set by functions that wrote by statements of their own, which make no change. */
  direct: boolean;
}

/** The declared entity of that name. */
export function entityNamed(write: Write, name: string): Entity {
  const entity = write.model.get(name);
  if (!entity) throw new Error(`no entity ${name}`);
  return entity;
}

/** Tells whether every member sees a row, and not its owner alone: the change log has those. */
export const isPublic = ({ personal }: Entity, row: Raw): boolean =>
  !personal || readOwn(row, personal.shared) === true;

/** The rows that a mutation adds to a table: until the flush no statement sees them. */
export const addedRows = ({ operations }: Write, table: string): Raw[] =>
  operations.flatMap((each) => (each.kind === "insert" && each.table === table ? [each.row] : []));

/** The condition that names one row of an entity in the scope's organization. */
export const rowOf = (write: Write, entity: Entity, id: string): Raw => ({
  [tenantColumn(entity)]: write.scope.organizationId,
  id,
});

/** Tells whether an operation changes the organization's own row. */
export const isOfTenant = ({ table }: Operation): boolean => table === "organization";

/** The key of a loaded or cached row: its id, or whatever else it was found by. */
export const keyOf = (entity: string, id: string): string => `${entity} ${isUuid(id) ? id.toLowerCase() : id}`;

/** Adds a change of columns to what waits; one row is written once, however often it is changed. */
export function enqueueUpdate(write: Write, entity: Entity, id: string, patch: Raw, late = false): void {
  const { table } = entity;
  const waiting = write.operations.find(
    (operation) =>
      operation.table === table &&
      ((operation.kind === "insert" && operation.row.id === id) ||
        (operation.kind === "update" && operation.where.id === id)),
  );
  if (waiting?.kind === "insert") Object.assign(waiting.row, patch);
  else if (waiting?.kind === "update") Object.assign(waiting.patch, patch);
  else {
    const where = rowOf(write, entity, id);
    write.operations.push({ kind: "update", table, patch: { ...patch }, where, ...(late && { late }) });
  }
  noteBefore(write, entity, id);
  const row = write.rows.get(keyOf(entity.name, id));
  if (row) Object.assign(row, patch);
}

/** Notes how a row that something is derived from is before the first change of a mutation. Call it before each. */
export function noteBefore(write: Write, entity: Entity, id: string, isNew?: "new"): void {
  const key = keyOf(entity.name, id);
  if (!entity.tuning?.derives || write.before.has(key)) return;
  const row = write.rows.get(key);
  if (!row && !isNew) throw new Error(`the ${entity.name} ${id} is changed without having been read`);
  write.before.set(key, { entity, id, row: row ? { ...row } : null });
}

/** The result of a mutation's function, for its payload: ids of the rows to show, and values that are shown only once. */
export interface Result {
  id?: string;
  ids?: readonly string[];
  /** Values for fields of the payload that are no entity, such as a secret. */
  values?: Readonly<Record<string, unknown>>;
  /** Facts of this run that `onReplay` needs when the request comes again; stored unencrypted. */
  kept?: string;
}
