import type { Statement, Transaction } from "../../db/open.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { isUuid } from "../../formats/uuid.ts";
import { type Entity, type EntityModel, tenantColumn } from "../read/entity.ts";
import type { Scope } from "../scope.ts";
import type { DerivedWrites } from "./derived/derived.ts";
import type { WireRow } from "./rows.ts";

/** A row change that waits for the flush. A `remove` and a `late` update run only after the log has read the row. */
export type RowOperation =
  | { kind: "insert"; table: string; row: WireRow; columns?: readonly string[] }
  | { kind: "update"; table: string; patch: WireRow; where: WireRow; late?: true }
  /** A list in `where` matches any of its values. */
  | { kind: "delete" | "remove"; table: string; where: WireRow };

/** A change log entry that waits for the flush. */
export interface PendingChange {
  entity: Entity;
  id: string;
  action: "create" | "update" | "remove";
  event: string;
  updatedFrom?: WireRow;
  /** Parameters of the entity's published SQL, by name. */
  given?: WireRow;
}

/**
 * The interface through which a mutation's function writes. The interface is valid only inside the mutation's
 * transaction.
 */
export interface WriteContext {
  scope: Scope;
  model: EntityModel;
  trx: Transaction;
  /** Time of the mutation, as an ISO 8601 text. */
  at: string;
  operations: RowOperation[];
  entries: PendingChange[];
  /** Statements that maintain derived columns. The flush sends these statements after all other writes. */
  followUps: Statement[];
  /** Loaded or written rows, in their state after the flush. Null means that no row exists. */
  rows: Map<string, (WireRow & { id: string }) | null>;
  /** Rows with derived values, in their state before this mutation. Contains only rows that the mutation writes. */
  before: Map<string, { entity: Entity; id: string; row: WireRow | null }>;
  /**
   * Derived writes of this mutation and of earlier mutations in the transaction. The transaction sends the derived
   * writes at its end.
   */
  derived: DerivedWrites;
  /** Returns a small-table row from the row cache, or a row that was read for several mutations at once. */
  cachedRow(key: string): (WireRow & { id: string }) | undefined;
  /** True if a function wrote through its own statements, which log no change. */
  direct: boolean;
}

export function getEntityByName(write: WriteContext, name: string): Entity {
  const entity = write.model.get(name);
  if (!entity) throw new Error(`no entity ${name}`);
  return entity;
}

/** Returns true if every member can see a row. The change log contains only rows that every member can see. */
export const isVisibleToAllMembers = ({ personal }: Entity, row: WireRow): boolean =>
  !personal || getOwnProperty(row, personal.shared) === true;

/** Returns the rows that a mutation inserts into a table. No statement sees the inserted rows before the flush. */
export const listInsertedRows = ({ operations }: WriteContext, table: string): WireRow[] =>
  operations.flatMap((each) => (each.kind === "insert" && each.table === table ? [each.row] : []));

/** Returns the condition for one row of an entity in the scope's organization. */
export const buildRowCondition = (write: WriteContext, entity: Entity, id: string): WireRow => ({
  [tenantColumn(entity)]: write.scope.organizationId,
  id,
});

export const changesOrganizationRow = ({ table }: RowOperation): boolean => table === "organization";

/** Returns the key of a loaded or cached row, made from its id or from the name that found the row. */
export const buildRowKey = (entity: string, id: string): string => `${entity} ${isUuid(id) ? id.toLowerCase() : id}`;

/** Adds a column change to the pending operations. All changes of one row become a single write. */
export function enqueueUpdate(write: WriteContext, entity: Entity, id: string, patch: WireRow, late = false): void {
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
    const where = buildRowCondition(write, entity, id);
    write.operations.push({ kind: "update", table, patch: { ...patch }, where, ...(late && { late }) });
  }
  recordRowBeforeChange(write, entity, id);
  const row = write.rows.get(buildRowKey(entity.name, id));
  if (row) Object.assign(row, patch);
}

/**
 * Records the state of a row with derived values before the mutation's first change. Call before every change of a
 * row.
 */
export function recordRowBeforeChange(write: WriteContext, entity: Entity, id: string, isNew?: "new"): void {
  const key = buildRowKey(entity.name, id);
  if (!entity.tuning?.derives || write.before.has(key)) return;
  const row = write.rows.get(key);
  if (!row && !isNew) throw new Error(`the ${entity.name} ${id} is changed without having been read`);
  write.before.set(key, { entity, id, row: row ? { ...row } : null });
}

/** Result of a mutation's function: ids of the rows in the payload, and values that are shown only once. */
export interface MutationResult {
  id?: string;
  ids?: readonly string[];
  /** Values for payload fields that are no entities, such as a secret. */
  values?: Readonly<Record<string, unknown>>;
  /** Data of this run that `onReplay` needs for a repeated request; stored unencrypted. */
  kept?: string;
}
