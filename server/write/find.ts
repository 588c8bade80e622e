import { getOwnProperty } from "../../formats/own.ts";
import { AppError, inputError, notFound } from "../errors.ts";
import { type EntityReference, findLoadedRow, loadRows, type RowIdOrName } from "./load.ts";
import type { LoadedRow } from "./rows.ts";
import { getEntityByName, isVisibleToAllMembers, type WriteContext } from "./write.ts";

/**
 * Returns the row that a mutation acts on: its columns, and the values that its entity declares as `loaded`.
 * @throws notFound for an id that does not exist, and with the same message for an id of another organization.
 */
export async function findRowOrThrow<Name extends string>(
  write: WriteContext,
  entity: Name,
  id: string,
): Promise<LoadedRow<Name>> {
  const row = await findRow(write, entity, id);
  if (!row) throw notFound(formatEntityName(entity), id);
  return row;
}

/** Returns the row with an id or name, or undefined. */
export async function findRow<Name extends string>(
  write: WriteContext,
  entity: Name,
  id: string,
): Promise<LoadedRow<Name> | undefined> {
  await loadRows(write, [[entity, id]]);
  const row = findLoadedRow(write, entity, id);
  return row && isSeen(write, entity, row) ? ({ ...row } as LoadedRow<Name>) : undefined;
}

/** Returns true if the caller may see a row. The server's own jobs see all rows. */
function isSeen(write: WriteContext, name: string, row: LoadedRow): boolean {
  const entity = getEntityByName(write, name);
  const { system, userId } = write.scope;
  return (
    system === true ||
    isVisibleToAllMembers(entity, row) ||
    getOwnProperty(row, entity.personal?.owner ?? "") === userId
  );
}

/**
 * Returns several rows of an entity, in the order of `ids`, including personal rows of other users.
 * @throws notFound for the first id without a row
 */
export async function findRowsOrThrow<Name extends string>(
  write: WriteContext,
  entity: Name,
  ids: readonly string[],
): Promise<LoadedRow<Name>[]> {
  await loadRows(
    write,
    ids.map((id) => [entity, id] as const),
  );
  return ids.map((id) => {
    const row = findLoadedRow(write, entity, id);
    if (!row) throw notFound(formatEntityName(entity), id);
    return { ...row } as LoadedRow<Name>;
  });
}

/** Returns the readable name of an entity: `workflow state` for WorkflowState. */
export const formatEntityName = (entity: string): string => entity.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();

/** References of an input, by field: one id, or a list of ids where the field is a list. */
type Wanted = Readonly<Record<string, readonly [entity: string, ids: RowIdOrName | readonly string[]]>>;
type Referred<All extends Wanted> = {
  -readonly [Field in keyof All]: [Extract<All[Field][1], readonly string[]>] extends [never]
    ? LoadedRow<All[Field][0]> | (All[Field][1] extends string ? never : undefined)
    : LoadedRow<All[Field][0]>[];
};

/**
 * Returns the rows that an input references, by field, with one statement. A list contains each row once. An absent
 * or null field has no row.
 * @throws inputError with the first field whose reference does not exist or is archived permanently.
 */
export async function findReferencedRows<const All extends Wanted>(
  write: WriteContext,
  wanted: All,
): Promise<Referred<All>> {
  await loadRows(write, toEntityReferences(wanted));
  const found = Object.entries(wanted).map(([field, [entity, ids]]) => {
    // An empty string is a reference too, and no row matches it.
    if (ids === undefined || ids === null) return [field, undefined] as const;
    if (!isList(ids)) return [field, referred(write, field, entity, ids)] as const;
    const rows = ids.map((id, at) => referred(write, `${field}.${at}`, entity, id));
    return [field, [...new Map(rows.map((row) => [row.id, row])).values()]] as const;
  });
  return Object.fromEntries(found) as Referred<All>;
}

/** Returns single references for all wanted rows, so that the caller can load them together with other references. */
export const toEntityReferences = (wanted: Wanted): EntityReference[] =>
  Object.values(wanted).flatMap(([entity, ids]): EntityReference[] =>
    isList(ids) ? ids.map((id) => [entity, id]) : [[entity, ids]],
  );

const isList = (ids: RowIdOrName | readonly string[]): ids is readonly string[] => Array.isArray(ids);

/**
 * Error for an input that references a row that does not exist. Programs recognize the error by `extensions.missing`.
 */
const missing = (field: string, message: string) =>
  new AppError("input", message, { field, extensions: { missing: true } });

function referred(write: WriteContext, field: string, entity: string, id: string): LoadedRow {
  const row = findLoadedRow(write, entity, id);
  if (!row || !isSeen(write, entity, row))
    throw missing(field, `${field}: no ${formatEntityName(entity)} ${id || '""'} in this organization`);
  const refused = getEntityByName(write, entity).refused?.(row);
  if (refused) throw inputError(`${field}: ${String(row.name ?? id)} ${refused}`, field);
  return { ...row };
}
