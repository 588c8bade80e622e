import type { Statement } from "../../db/open.ts";
import { readOwn } from "../../formats/own.ts";
import { isUuid } from "../../formats/uuid.ts";
import type { Build, SqlRow } from "../read/entity.ts";
import { preparedStatement, textWithoutNul } from "../read/prepared-statement.ts";
import { bindGiven, column, findEntity, inOrganizationSql, joinLink, newRow } from "../read/row.ts";
import type { Found, WireRow } from "./rows.ts";
import { entityNamed, rowKey, type Write } from "./write.ts";

/** Id or name of a row. Absent and null values reference no row. */
export type RowReference = string | null | undefined;

/** Name of an entity, and the id of a row or another name of the row, such as an issue identifier. */
export type Reference<Name extends string = string> = readonly [entity: Name, id: RowReference];

/** Rows of one entity that are not loaded: ids, and names that are no ids. */
interface Missing {
  entity: string;
  ids: readonly string[];
  texts: readonly string[];
}

/** Loads the rows that are neither loaded nor cached, with one statement. `find` then needs no further query. */
export async function loadRows(write: Write, wanted: readonly Reference[]): Promise<void> {
  const missing = missingOf(write, wanted);
  if (missing.length === 0) return;
  for (const { entity, ids, texts } of missing)
    for (const id of [...ids, ...texts]) write.rows.set(rowKey(entity, id), null);
  for (const { entity, asked, row, more } of await write.trx.query<FoundRow>(loadStatement(write, missing))) {
    const found = inWireForm(write, entity, row, more);
    const key = rowKey(entity, found.id);
    const one = write.rows.get(key) ?? found;
    write.rows.set(key, one);
    write.rows.set(rowKey(entity, asked), one);
  }
}

function missingOf(write: Write, wanted: readonly Reference[]): Missing[] {
  const groups = new Map<string, { ids: Set<string>; texts: Set<string> }>();
  for (const [entity, value] of wanted) {
    const id = textWithoutNul(String(value));
    if (value === undefined || value === null || isLoaded(write, rowKey(entity, id))) continue;
    const group = groups.get(entity) ?? { ids: new Set(), texts: new Set() };
    groups.set(entity, group);
    if (isUuid(id)) group.ids.add(id.toLowerCase());
    else group.texts.add(id);
  }
  return [...groups].map(([entity, { ids, texts }]) => ({ entity, ids: [...ids], texts: [...texts] }));
}

function loadStatement(write: Write, missing: readonly Missing[]): Statement {
  const shape = missing.map(({ entity, ids, texts }) => `${entity} ${ids.length > 0} ${texts.length}`).join();
  const values = missing.flatMap(({ entity, ids, texts }) => [
    [`${entity} ids`, ids] as const,
    ...texts.map((text, at) => [`${entity} ${at}`, text] as const),
  ]);
  const inputs = { scope: write.scope, args: [], given: Object.fromEntries(values) };
  return preparedStatement(write.model, `find ${shape}`, inputs, (build) =>
    missing.flatMap((group) => selects(build, group)).join(" union all "),
  );
}

function isLoaded(write: Write, key: string): boolean {
  if (write.rows.has(key)) return true;
  const row = write.cachedRow(key);
  if (row) write.rows.set(key, { ...row });
  return row !== undefined;
}

/** One row from the load statement: all columns, and the values that the entity declares as `loaded`. */
interface FoundRow {
  entity: string;
  asked: string;
  row: Found;
  more: WireRow | null;
}

/**
 * Converts timestamps to the wire format. PostgreSQL returns an offset and omits trailing zeros; the wire uses
 * JavaScript's ISO format.
 */
function inWireForm(write: Write, name: string, row: Found, more: WireRow | null): Found {
  const { columns, one } = entityNamed(write, name);
  for (const [column, type] of Object.entries(columns)) {
    if (type === "timestamp" && readOwn(row, column))
      row[column] = new Date(String(readOwn(row, column))).toISOString();
  }
  for (const [part, value] of Object.entries(more ?? {})) {
    const link = value ? readOwn(one, part)?.entity : undefined;
    row[part] = link ? inWireForm(write, link, value as Found, null) : value;
  }
  return row;
}

function selects(build: Build, group: Missing): string[] {
  const entity = findEntity(build, group.entity);
  const select = (asked: (row: SqlRow) => string, matches: (row: SqlRow) => string) => {
    const row = newRow(build, entity);
    const more = loadedJson(row);
    const condition = `${inOrganizationSql(row)} and ${matches(row)}`;
    return `(select '${entity.name}' as entity, ${asked(row)} as asked, row_to_json(${row.alias}) as row, ${more} as more
      from "${entity.table}" ${row.alias}${row.frame.joins.join("")} where ${condition})`;
  };
  const byId = () =>
    select(
      (row) => `${column(row, "id")}::text`,
      (row) => `${column(row, "id")} = any(${bindGiven(build, `${entity.name} ids`, "uuid[]")})`,
    );
  const byText = group.texts.map((_, at) => {
    const text = bindGiven(build, `${entity.name} ${at}`, "text");
    return select(
      () => text,
      (row) => entity.reference?.(row, text) ?? "false",
    );
  });
  return group.ids.length > 0 ? [byId(), ...byText] : byText;
}

/** SQL for the values that an entity declares as `loaded`: computed values, and rows of to-one links. */
function loadedJson(row: SqlRow): string {
  const { computed = {}, one = {} } = row.entity;
  const members = [
    ...Object.entries(computed).flatMap(([name, { loaded, sql }]) => (loaded ? [`'${name}', ${sql(row)}`] : [])),
    ...Object.entries(one).flatMap(([name, { loaded }]) =>
      loaded ? [`'${name}', row_to_json(${joinLink(row, name).alias})`] : [],
    ),
  ];
  return members.length > 0 ? `json_build_object(${members.join(", ")})` : "null::json";
}

/** Returns a loaded row; null if no row has that id or name; undefined if the row was not loaded. */
export const loadedRow = (write: Write, entity: string, id: string): Found | null | undefined =>
  write.rows.get(rowKey(entity, textWithoutNul(id)));
