import { inputError, notFound } from "../errors.ts";
import { isUuid } from "../id.ts";
import type { Build, SqlRow } from "../read/entity.ts";
import { preparedStatement } from "../read/prepared-statement.ts";
import { column, entityOf, fieldValue, given, inTenant, joined, newRow } from "../read/row.ts";
import type { Found, Raw } from "./rows.ts";
import { entityNamed, keyOf, type Write } from "./write.ts";

type Id = string | null | undefined;

/** An entity's name, and an id or whatever else names one of its rows, such as an identifier. */
export type Reference<Name extends string = string> = readonly [entity: Name, id: Id];

/** The rows that several references of an input lead to: one each, or a list where the field is a list of ids. */
type Wanted = Readonly<Record<string, readonly [entity: string, ids: Id | readonly string[]]>>;
type Referred<All extends Wanted> = {
  -readonly [Field in keyof All]: [Extract<All[Field][1], readonly string[]>] extends [never]
    ? Found<All[Field][0]> | (All[Field][1] extends string ? never : undefined)
    : Found<All[Field][0]>[];
};

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

/**
 * The rows that an input refers to, in one statement, under the names of the fields that refer to them. A list holds
 * each row once; where a field is absent or null there is none.
 * @throws inputError naming the first field whose reference leads nowhere, or to something archived for good.
 */
export async function references<const All extends Wanted>(write: Write, wanted: All): Promise<Referred<All>> {
  await load(write, referencesOf(wanted));
  const found = Object.entries(wanted).map(([field, [entity, ids]]) => {
    if (!isList(ids)) return [field, ids ? referred(write, field, entity, ids) : undefined] as const;
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

function referred(write: Write, field: string, entity: string, id: string): Found {
  const row = loadedRow(write, entity, id);
  if (!row) throw inputError(`${field}: no ${label(entity)} ${id} in this organization`, field);
  const refused = entityNamed(write, entity).refused?.(row);
  if (refused) throw inputError(`${field}: ${String(row.name ?? id)} ${refused}`, field);
  return { ...row };
}

/** Reads the rows that are not loaded or cached yet, in one statement; `find` then answers without another query. */
export async function load(write: Write, wanted: readonly Reference[]): Promise<void> {
  const groups = new Map<string, { ids: Set<string>; texts: Set<string> }>();
  for (const [entity, value] of wanted) {
    const id = String(value).replaceAll("\0", "\uFFFD");
    if (value === undefined || value === null || isLoaded(write, keyOf(entity, id))) continue;
    const group = groups.get(entity) ?? { ids: new Set(), texts: new Set() };
    groups.set(entity, group);
    if (isUuid(id)) group.ids.add(id.toLowerCase());
    else group.texts.add(id);
  }
  if (groups.size === 0) return;
  const asked = [...groups].map(([entity, { ids, texts }]) => ({ entity, ids: [...ids], texts: [...texts] }));
  const shape = asked.map(({ entity, ids, texts }) => `${entity} ${ids.length > 0} ${texts.length}`).join();
  const values = asked.flatMap(({ entity, ids, texts }) => [
    [`${entity} ids`, ids] as const,
    ...texts.map((text, at) => [`${entity} ${at}`, text] as const),
  ]);
  const inputs = { scope: write.scope, args: [], given: Object.fromEntries(values) };
  const statement = preparedStatement(write.model, `find ${shape}`, inputs, (build) =>
    asked.flatMap((group) => selects(build, group)).join(" union all "),
  );
  for (const { entity, ids, texts } of asked)
    for (const id of [...ids, ...texts]) write.rows.set(keyOf(entity, id), null);
  for (const { entity, asked: id, row, more } of await write.trx.query<FoundRow>(statement)) {
    const found = inWireForm(write, entity, row, more);
    const key = keyOf(entity, found.id);
    const one = write.rows.get(key) ?? found;
    write.rows.set(key, one);
    write.rows.set(keyOf(entity, id), one);
  }
}

function isLoaded(write: Write, key: string): boolean {
  if (write.rows.has(key)) return true;
  const row = write.cachedRow(key);
  if (row) write.rows.set(key, { ...row });
  return row !== undefined;
}

/** One row as the database answers it: all its columns, and what its entity declares as `loaded`. */
interface FoundRow {
  entity: string;
  asked: string;
  row: Found;
  more: Raw | null;
}

/** PostgreSQL writes moments with an offset and without needless zeros; the wire has them as JavaScript does. */
function inWireForm(write: Write, name: string, row: Found, more: Raw | null): Found {
  const { columns, one } = entityNamed(write, name);
  for (const [column, type] of Object.entries(columns)) {
    if (type === "timestamp" && row[column]) row[column] = new Date(String(row[column])).toISOString();
  }
  for (const [part, value] of Object.entries(more ?? {})) {
    const link = value ? one?.[part]?.entity : undefined;
    row[part] = link ? inWireForm(write, link, value as Found, null) : value;
  }
  return row;
}

function selects(build: Build, group: { entity: string; ids: string[]; texts: string[] }): string[] {
  const entity = entityOf(build, group.entity);
  const select = (asked: (row: SqlRow) => string, matches: (row: SqlRow) => string) => {
    const row = newRow(build, entity);
    const more = loadedJson(row);
    const condition = `${inTenant(row)} and ${matches(row)}`;
    return `(select '${entity.name}' as entity, ${asked(row)} as asked, row_to_json(${row.alias}) as row, ${more} as more
      from "${entity.table}" ${row.alias}${row.frame.joins.join("")} where ${condition})`;
  };
  const byId = () =>
    select(
      (row) => `${column(row, "id")}::text`,
      (row) => `${column(row, "id")} = any(${given(build, `${entity.name} ids`, "uuid[]")})`,
    );
  const byText = group.texts.map((_, at) => {
    const text = given(build, `${entity.name} ${at}`, "text");
    return select(
      () => text,
      (row) => entity.reference?.(row, text) ?? "false",
    );
  });
  return group.ids.length > 0 ? [byId(), ...byText] : byText;
}

/** SQL of what an entity declares as `loaded`: computed values, and rows of to-one links. */
function loadedJson(row: SqlRow): string {
  const members = (row.entity.loaded ?? []).map((name) => {
    const value = fieldValue(row, name)?.sql ?? `row_to_json(${joined(row, name).alias})`;
    return `'${name}', ${value}`;
  });
  return members.length > 0 ? `json_build_object(${members.join(", ")})` : "null::json";
}

const loadedRow = (write: Write, entity: string, id: string): Found | null | undefined =>
  write.rows.get(keyOf(entity, id.replaceAll("\0", "\uFFFD")));

const label = (entity: string): string => entity.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
