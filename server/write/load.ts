import type { Statement } from "../../db/open.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { isUuid } from "../../formats/uuid.ts";
import type { SqlRow, StatementBuild } from "../read/entity.ts";
import { preparedStatement, textWithoutNul } from "../read/prepared-statement.ts";
import { bindGiven, columnSql, findEntity, inOrganizationSql, joinLink, newRow } from "../read/row.ts";
import type { LoadedRow, WireRow } from "./rows.ts";
import { buildRowKey, getEntityByName, type WriteContext } from "./write.ts";

/** Id or name of a row. Absent and null values reference no row. */
export type RowIdOrName = string | null | undefined;

/** Name of an entity, and the id of a row or another name of the row, such as an issue identifier. */
export type EntityReference<Name extends string = string> = readonly [entity: Name, id: RowIdOrName];

/**
 * Rows of one entity that must still be loaded: `ids` are UUIDs, and `texts` are other names of rows, such as
 * identifiers.
 */
interface Missing {
  entity: string;
  ids: readonly string[];
  texts: readonly string[];
}

/** Loads the rows that are neither loaded nor cached, with one statement. `find` then needs no further query. */
export async function loadRows(write: WriteContext, wanted: readonly EntityReference[]): Promise<void> {
  const missing = missingOf(write, wanted);
  if (missing.length === 0) return;
  for (const { entity, ids, texts } of missing)
    for (const id of [...ids, ...texts]) write.rows.set(buildRowKey(entity, id), null);
  for (const { entity, asked, row, more } of await write.trx.query<FoundRow>(loadStatement(write, missing))) {
    const found = inWireForm(write, entity, row, more);
    const key = buildRowKey(entity, found.id);
    const one = write.rows.get(key) ?? found;
    write.rows.set(key, one);
    write.rows.set(buildRowKey(entity, asked), one);
  }
}

function missingOf(write: WriteContext, wanted: readonly EntityReference[]): Missing[] {
  const groups = new Map<string, { ids: Set<string>; texts: Set<string> }>();
  for (const [entity, value] of wanted) {
    const id = textWithoutNul(String(value));
    if (value === undefined || value === null || isLoaded(write, buildRowKey(entity, id))) continue;
    const group = groups.get(entity) ?? { ids: new Set(), texts: new Set() };
    groups.set(entity, group);
    if (isUuid(id)) group.ids.add(id.toLowerCase());
    else group.texts.add(id);
  }
  return [...groups].map(([entity, { ids, texts }]) => ({ entity, ids: [...ids], texts: [...texts] }));
}

function loadStatement(write: WriteContext, missing: readonly Missing[]): Statement {
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

function isLoaded(write: WriteContext, key: string): boolean {
  if (write.rows.has(key)) return true;
  const row = write.cachedRow(key);
  if (row) write.rows.set(key, { ...row });
  return row !== undefined;
}

/** One row from the load statement: all columns, and the values that the entity declares as `loaded`. */
interface FoundRow {
  entity: string;
  asked: string;
  row: LoadedRow;
  more: WireRow | null;
}

/**
 * Converts timestamps to the wire format. PostgreSQL returns an offset and omits trailing zeros; the wire uses
 * JavaScript's ISO format.
 */
function inWireForm(write: WriteContext, name: string, row: LoadedRow, more: WireRow | null): LoadedRow {
  const { columns, one } = getEntityByName(write, name);
  for (const [column, type] of Object.entries(columns)) {
    if (type === "timestamp" && getOwnProperty(row, column))
      row[column] = new Date(String(getOwnProperty(row, column))).toISOString();
  }
  for (const [part, value] of Object.entries(more ?? {})) {
    const link = value ? getOwnProperty(one, part)?.entity : undefined;
    row[part] = link ? inWireForm(write, link, value as LoadedRow, null) : value;
  }
  return row;
}

function selects(build: StatementBuild, group: Missing): string[] {
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
      (row) => `${columnSql(row, "id")}::text`,
      (row) => `${columnSql(row, "id")} = any(${bindGiven(build, `${entity.name} ids`, "uuid[]")})`,
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
export const findLoadedRow = (write: WriteContext, entity: string, id: string): LoadedRow | null | undefined =>
  write.rows.get(buildRowKey(entity, textWithoutNul(id)));
