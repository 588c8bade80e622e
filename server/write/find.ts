import { notFound } from "../errors.ts";
import { load, loadedRow } from "./load.ts";
import type { Found } from "./rows.ts";
import type { Write } from "./write.ts";

/**
 * The row a mutation is about: its columns and what its entity declares as `loaded`.
 * @throws notFound, alike for an id that does not exist and one of another organization.
 */
export async function target<Name extends string>(write: Write, entity: Name, id: string): Promise<Found<Name>> {
  const row = await find(write, entity, id);
  if (!row) throw notFound(label(entity), id);
  return row;
}

/** The row of that id or name, if there is one. */
export async function find<Name extends string>(
  write: Write,
  entity: Name,
  id: string,
): Promise<Found<Name> | undefined> {
  await load(write, [[entity, id]]);
  const row = loadedRow(write, entity, id);
  return row ? ({ ...row } as Found<Name>) : undefined;
}

/** Several rows of an entity, in the order of their ids. @throws notFound for the first that is not there. */
export async function targets<Name extends string>(
  write: Write,
  entity: Name,
  ids: readonly string[],
): Promise<Found<Name>[]> {
  await load(
    write,
    ids.map((id) => [entity, id] as const),
  );
  return Promise.all(ids.map((id) => target(write, entity, id)));
}

/** An entity's name as people say it: `workflow state` for WorkflowState. */
export const label = (entity: string): string => entity.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
