import { type ChangeOptions, update } from "../write/change.ts";
import { removeForGood } from "../write/deletion/remove-for-good.ts";
import { target } from "../write/find.ts";
import type { Found, Raw } from "../write/rows.ts";
import type { Write } from "../write/write.ts";
import { action, type Mutation } from "./resource.ts";

/** The change that archiving writes: the columns, and how the change is named. */
interface Move {
  patch: Raw;
  change: { event: string; action?: "remove" } | undefined;
}

/** Translates an input's `trashed` for a row: nothing, into the trash, or back. `archivedAt` is when it got there. */
export function trashing(write: Write, before: Found, trashed: boolean | null | undefined): Move {
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

/** Changes a row where more than its columns depends on it. */
type Apply = { run(write: Write, before: Found, patch: Raw, options: ChangeOptions): unknown }["run"];

const updating =
  (entity: string): Apply =>
  (write, before, patch, options) =>
    update(write, entity, before, patch, options);

/** The mutation that archives a row of an entity, or with `trash` moves it to the trash. */
export const archiving = (entity: string, apply?: Apply): Mutation =>
  onRow(entity, (write, before, { trash }) => archive(write, entity, before, trash ?? false, apply));

/** The mutation that moves a row of an entity to the trash. */
export const deleting = (entity: string): Mutation =>
  onRow(entity, (write, before) => archive(write, entity, before, true));

/** The mutation that takes a row of an entity out of the archive or the trash. */
export const restoring = (entity: string, apply?: Apply): Mutation =>
  onRow(entity, (write, before) => restore(write, entity, before, apply));

/** The mutation that removes a row of an entity for good, with what its links say goes with it. */
export const removing = (entity: string): Mutation =>
  onRow(entity, (write, before) => removeForGood(write, entity, before));

const onRow = (entity: string, work: (write: Write, before: Found, args: Args) => Promise<void> | void): Mutation =>
  action("member", async (write, args: Args) => {
    const before = await target(write, entity, args.id);
    await work(write, before, args);
    return { id: before.id };
  });

/** Archives a row, or moves it to the trash. What is there already stays as it is. */
export function archive(write: Write, entity: string, before: Found, trash = false, apply = updating(entity)): void {
  const { patch, change } = trashing(write, before, trash ? true : undefined);
  if (change) apply(write, before, patch, change);
  else if (!before.archivedAt) apply(write, before, { archivedAt: write.at }, { event: "archived" });
}

/** Takes a row out of the archive or the trash. */
export function restore(write: Write, entity: string, before: Found, apply = updating(entity)): void {
  const patch = { archivedAt: null, ...("trashed" in before && { trashed: null }) };
  apply(write, before, patch, { event: "unarchived" });
}
