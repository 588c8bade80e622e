import type { Transaction } from "../../db/open.ts";
import type { Entity, Model } from "./entity.ts";
import type { Scope } from "./scope.ts";

/** A row in wire form: moments as ISO text, days as YYYY-MM-DD, so that values compare and publish as they are. */
export type Raw = Record<string, unknown>;

/** One row change that waits for the flush. */
export type Operation =
  | { kind: "insert"; table: string; row: Raw }
  | { kind: "update"; table: string; patch: Raw; where: Raw }
  | { kind: "delete"; table: string; where: Raw };

/** One change-log entry that waits for the flush. */
export interface Entry {
  entity: Entity;
  id: string;
  action: "create" | "update" | "remove";
  event: string;
  updatedFrom?: Raw;
  /** What a row that is gone looked like; a row that stays is read when the entry is written. */
  data?: { row: Raw; teamId: string | null };
}

/** What a mutation's function writes through: it exists only inside the transaction that made it. */
export interface Write {
  scope: Scope;
  model: Model;
  trx: Transaction;
  /** The moment of the mutation, ISO 8601. */
  at: string;
  operations: Operation[];
  entries: Entry[];
}

/** The declared entity of that name. */
export function entityNamed(write: Write, name: string): Entity {
  const entity = write.model.get(name);
  if (!entity) throw new Error(`no entity ${name}`);
  return entity;
}

/** The condition that names one row of an entity in the scope's organization. */
export const rowOf = (write: Write, entity: Entity, id: string): Raw =>
  entity.tenant === "id" ? { id } : { organizationId: write.scope.organizationId, id };

/** Adds a change of columns to what waits; one row is written once, however often it is changed. */
export function enqueueUpdate(write: Write, entity: Entity, id: string, patch: Raw): void {
  const waiting = write.operations.find(
    (operation) =>
      operation.table === entity.table &&
      ((operation.kind === "insert" && operation.row.id === id) ||
        (operation.kind === "update" && operation.where.id === id)),
  );
  if (waiting?.kind === "insert") Object.assign(waiting.row, patch);
  else if (waiting?.kind === "update") Object.assign(waiting.patch, patch);
  else
    write.operations.push({
      kind: "update",
      table: entity.table,
      patch: { ...patch },
      where: rowOf(write, entity, id),
    });
}

/** A row as it will be after the flush: what was read, with what waits to be written over it. */
export function overlaid(write: Write, entity: Entity, id: string, read: Raw | null): Raw | null {
  let row = read;
  for (const operation of write.operations) {
    if (operation.table !== entity.table) continue;
    if (operation.kind === "insert" && operation.row.id === id) row = operation.row;
    if (operation.kind === "update" && operation.where.id === id && row) row = { ...row, ...operation.patch };
    if (operation.kind === "delete" && operation.where.id === id) row = null;
  }
  return row;
}
