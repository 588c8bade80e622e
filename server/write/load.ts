import type { Statement } from "../../db/open.ts";
import { readOwn } from "../../formats/own.ts";
import { isUuid } from "../../formats/uuid.ts";
import type { Build, SqlRow } from "../read/entity.ts";
import { preparedStatement, textWithoutNul } from "../read/prepared-statement.ts";
import { column, entityOf, given, inOrganization, joined, newRow } from "../read/row.ts";
import type { Found, Raw } from "./rows.ts";
import { entityNamed, keyOf, type Write } from "./write.ts";

/** The name of a row; absent and null name none. */
export type Id = string | null | undefined;

/** An entity's name, and an id or whatever else names one of its rows, such as an identifier. */
export type Reference<Name extends string = string> = readonly [entity: Name, id: Id];

/** The rows of one entity that are not loaded: by id, and rows by another name. */
interface Missing {
  entity: string;
  ids: readonly string[];
  texts: readonly string[];
}

/** Reads the rows that are not loaded or cached yet, in one statement; `find` then answers without another query. */
export async function load(write: Write, wanted: readonly Reference[]): Promise<void> {
  const missing = missingOf(write, wanted);
  if (missing.length === 0) return;
  for (const { entity, ids, texts } of missing)
    for (const id of [...ids, ...texts]) write.rows.set(keyOf(entity, id), null);
  for (const { entity, asked, row, more } of await write.trx.query<FoundRow>(loadStatement(write, missing))) {
    const found = inWireForm(write, entity, row, more);
    const key = keyOf(entity, found.id);
    const one = write.rows.get(key) ?? found;
    write.rows.set(key, one);
    write.rows.set(keyOf(entity, asked), one);
  }
}

function missingOf(write: Write, wanted: readonly Reference[]): Missing[] {
  const groups = new Map<string, { ids: Set<string>; texts: Set<string> }>();
  for (const [entity, value] of wanted) {
    const id = textWithoutNul(String(value));
    if (value === undefined || value === null || isLoaded(write, keyOf(entity, id))) continue;
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
  const entity = entityOf(build, group.entity);
  const select = (asked: (row: SqlRow) => string, matches: (row: SqlRow) => string) => {
    const row = newRow(build, entity);
    const more = loadedJson(row);
    const condition = `${inOrganization(row)} and ${matches(row)}`;
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
  const { computed = {}, one = {} } = row.entity;
  const members = [
    ...Object.entries(computed).flatMap(([name, { loaded, sql }]) => (loaded ? [`'${name}', ${sql(row)}`] : [])),
    ...Object.entries(one).flatMap(([name, { loaded }]) =>
      loaded ? [`'${name}', row_to_json(${joined(row, name).alias})`] : [],
    ),
  ];
  return members.length > 0 ? `json_build_object(${members.join(", ")})` : "null::json";
}

/** A loaded row; null when there is none of that name. */
export const loadedRow = (write: Write, entity: string, id: string): Found | null | undefined =>
  write.rows.get(keyOf(entity, textWithoutNul(id)));
