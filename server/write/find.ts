import { readOwn } from "../../formats/own.ts";
import { AppError, inputError, notFound } from "../errors.ts";
import { type Id, load, loadedRow, type Reference } from "./load.ts";
import type { Found } from "./rows.ts";
import { entityNamed, isPublic, type Write } from "./write.ts";

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
  return row && isSeen(write, entity, row) ? ({ ...row } as Found<Name>) : undefined;
}

/** Tells whether the caller may know of a row. The server's own work goes through all of them. */
function isSeen(write: Write, name: string, row: Found): boolean {
  const entity = entityNamed(write, name);
  const { system, userId } = write.scope;
  return system === true || isPublic(entity, row) || readOwn(row, entity.personal?.owner ?? "") === userId;
}

/**
 * Several rows of an entity, in the order of their ids: also those that are somebody else's alone.
 * @throws notFound for the first that is not there
 */
export async function targets<Name extends string>(
  write: Write,
  entity: Name,
  ids: readonly string[],
): Promise<Found<Name>[]> {
  await load(
    write,
    ids.map((id) => [entity, id] as const),
  );
  return ids.map((id) => {
    const row = loadedRow(write, entity, id);
    if (!row) throw notFound(label(entity), id);
    return { ...row } as Found<Name>;
  });
}

/** An entity's name as people say it: `workflow state` for WorkflowState. */
export const label = (entity: string): string => entity.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();

/** The rows that several references of an input lead to: one each, or a list where the field is a list of ids. */
type Wanted = Readonly<Record<string, readonly [entity: string, ids: Id | readonly string[]]>>;
type Referred<All extends Wanted> = {
  -readonly [Field in keyof All]: [Extract<All[Field][1], readonly string[]>] extends [never]
    ? Found<All[Field][0]> | (All[Field][1] extends string ? never : undefined)
    : Found<All[Field][0]>[];
};

/**
 * The rows that an input refers to, in one statement, under the names of the fields that refer to them. A list holds
 * each row once; where a field is absent or null there is none.
 * @throws inputError naming the first field whose reference leads nowhere, or to something archived for good.
 */
export async function references<const All extends Wanted>(write: Write, wanted: All): Promise<Referred<All>> {
  await load(write, referencesOf(wanted));
  const found = Object.entries(wanted).map(([field, [entity, ids]]) => {
    // An empty text is a reference too: one that leads nowhere.
    if (ids === undefined || ids === null) return [field, undefined] as const;
    if (!isList(ids)) return [field, referred(write, field, entity, ids)] as const;
    const rows = ids.map((id, at) => referred(write, `${field}.${at}`, entity, id));
    return [field, [...new Map(rows.map((row) => [row.id, row])).values()]] as const;
  });
  return Object.fromEntries(found) as Referred<All>;
}

/** The single references that are wanted, to load them together with others. */
export const referencesOf = (wanted: Wanted): Reference[] =>
  Object.values(wanted).flatMap(([entity, ids]): Reference[] =>
    isList(ids) ? ids.map((id) => [entity, id]) : [[entity, ids]],
  );

const isList = (ids: Id | readonly string[]): ids is readonly string[] => Array.isArray(ids);

/** The refusal of an input that refers to a row that does not exist. Programs know it by `missing`. */
const missing = (field: string, message: string) =>
  new AppError("input", message, { field, extensions: { missing: true } });

function referred(write: Write, field: string, entity: string, id: string): Found {
  const row = loadedRow(write, entity, id);
  if (!row || !isSeen(write, entity, row))
    throw missing(field, `${field}: no ${label(entity)} ${id || '""'} in this organization`);
  const refused = entityNamed(write, entity).refused?.(row);
  if (refused) throw inputError(`${field}: ${String(row.name ?? id)} ${refused}`, field);
  return { ...row };
}
