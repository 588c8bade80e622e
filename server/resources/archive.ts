import { type ChangeOptions, updateRow } from "../write/change.ts";
import { deleteRowPermanently } from "../write/deletion/remove-for-good.ts";
import { findRowOrThrow } from "../write/find.ts";
import type { LoadedRow, WireRow } from "../write/rows.ts";
import type { WriteContext } from "../write/write.ts";
import { defineIdMutation, type Mutation } from "./resource.ts";

/** A change that archives or restores a row: the columns, and the options of the change. */
interface Move {
  patch: WireRow;
  change: { event: string; action?: "remove" } | undefined;
}

/**
 * Converts `trashed` of an input into a change: no change, a move to the trash, or a restoration. `archivedAt`
 * becomes the time of the move to the trash.
 */
export function toTrashChange(write: WriteContext, before: LoadedRow, trashed: boolean | null | undefined): Move {
  if (trashed === true && !before.trashed) {
    return { patch: { trashed: true, archivedAt: write.at }, change: { event: "deleted", action: "remove" } };
  }
  if (trashed === false && before.trashed) {
    return { patch: { trashed: null, archivedAt: null }, change: { event: "unarchived" } };
  }
  return { patch: {}, change: undefined };
}

interface Args {
  id: string;
  trash?: boolean | null;
}

/** Function that updates a row. Entities whose updates need more than new column values provide their own function. */
type Apply = { run(write: WriteContext, before: LoadedRow, patch: WireRow, options: ChangeOptions): unknown }["run"];

const updating =
  (entity: string): Apply =>
  (write, before, patch, options) =>
    updateRow(write, entity, before, patch, options);

/** Returns the mutation that archives a row. With `trash`, the mutation moves the row to the trash. */
export const archiveMutation = (entity: string, apply?: Apply): Mutation =>
  onRow(entity, (write, before, { trash }) => archive(write, entity, before, trash ?? false, apply));

/** Returns the mutation that moves a row to the trash. */
export const trashMutation = (entity: string): Mutation =>
  onRow(entity, (write, before) => archive(write, entity, before, true));

/** Returns the mutation that restores a row from the archive or the trash. */
export const restoreMutation = (entity: string, apply?: Apply): Mutation =>
  onRow(entity, (write, before) => restore(write, entity, before, apply));

/** Returns the mutation that deletes a row permanently and applies `onDelete` of the links to the row. */
export const removeMutation = (entity: string): Mutation =>
  onRow(entity, (write, before) => deleteRowPermanently(write, entity, before));

const onRow = (
  entity: string,
  work: (write: WriteContext, before: LoadedRow, args: Args) => Promise<void> | void,
): Mutation =>
  defineIdMutation("member", async (write, args: Args) => {
    const before = await findRowOrThrow(write, entity, args.id);
    await work(write, before, args);
    return { id: before.id };
  });

/** Archives a row, or moves the row to the trash. An archived row stays unchanged. */
export function archive(
  write: WriteContext,
  entity: string,
  before: LoadedRow,
  trash = false,
  apply = updating(entity),
): void {
  const { patch, change } = toTrashChange(write, before, trash ? true : undefined);
  if (change) apply(write, before, patch, change);
  else if (!before.archivedAt) apply(write, before, { archivedAt: write.at }, { event: "archived" });
}

/** Restores a row from the archive or the trash. */
export function restore(write: WriteContext, entity: string, before: LoadedRow, apply = updating(entity)): void {
  const patch = { archivedAt: null, ...("trashed" in before && { trashed: null }) };
  apply(write, before, patch, { event: "unarchived" });
}
