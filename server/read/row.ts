import { getOwnProperty } from "../../formats/own.ts";
import { forbidden } from "../errors.ts";
import {
  type Entity,
  type EntityModel,
  type ParameterGetter,
  type SqlRow,
  type StatementBuild,
  tenantColumn,
  type ValueType,
} from "./entity.ts";
import type { Selection } from "./selection.ts";
import type { ArgumentShape } from "./shape.ts";

/**
 * Memory in bytes that a getter retains: the function, its closure and the path to its value. Measured with plans of
 * 2, 11 and 102 getters: 620 to 780 bytes each.
 */
export const GETTER_BYTES = 850;

export const createStatementBuild = (model: EntityModel, shapes: StatementBuild["shapes"]): StatementBuild => ({
  model,
  shapes,
  getters: [],
  bound: new Map(),
  reads: new Set(),
  aliases: 0,
});

/** Binds a parameter. Calls with the same `key` and cast share a parameter. Returns for example `$3::uuid`. */
export function bindParameter(build: StatementBuild, key: string, cast: string, get: ParameterGetter): string {
  const id = `${key}::${cast}`;
  const known = build.bound.get(id);
  if (known) return known;
  build.getters.push(get);
  const reference = `$${build.getters.length}::${cast}`;
  build.bound.set(id, reference);
  return reference;
}

const NO_ARGUMENTS: ArgumentShape = {};

/**
 * Returns the shape of a field's arguments: the properties on which the SQL may depend. Getters read the actual values
 * at each execution.
 */
export function getArgumentShape({ shapes }: StatementBuild, { argumentIndex, field }: Selection): ArgumentShape {
  const shape = argumentIndex < 0 ? NO_ARGUMENTS : shapes[argumentIndex];
  if (!shape) throw new Error(`the arguments of ${field} are not in the key of this statement`);
  return shape;
}

/** Parameter for the organization of the scope. */
export const bindOrganization = (build: StatementBuild): string =>
  bindParameter(build, "organizationId", "uuid", ({ scope }) => scope.organizationId);

/** Parameter for the user of the scope. */
export const bindCaller = (build: StatementBuild): string =>
  bindParameter(build, "userId", "uuid", ({ scope }) => scope.userId);

/** Binds the server's public URL, with which every URL begins. */
export const bindPublicUrl = (build: StatementBuild): string =>
  bindParameter(build, "publicUrl", "text", ({ scope }) => scope.publicUrl);

/** Parameter for a value that the execution receives in addition to its arguments. */
export const bindGiven = (build: StatementBuild, name: string, cast: string): string =>
  bindParameter(build, `given.${name}`, cast, (inputs) => getOwnProperty(inputs.given, name) ?? null);

/** Returns the names of the given values that a statement needs. */
export const listGivenParameters = ({ bound }: StatementBuild): string[] =>
  [...bound.keys()].flatMap((key) => /^given\.(.*)::/.exec(key)?.[1] ?? []);

export function findEntity(build: StatementBuild, name: string): Entity {
  const entity = build.model.get(name);
  if (!entity) throw new Error(`no entity ${name}`);
  return entity;
}

/** Returns a table's quoted name, and records that the statement reads the table. Used for tables without an entity. */
export function readTableSql(build: StatementBuild, name: string): string {
  build.reads.add(name);
  return `"${name}"`;
}

/** Returns a row with a new alias, for its own FROM clause. */
export function newRow(build: StatementBuild, entity: Entity): SqlRow {
  build.aliases += 1;
  build.reads.add(entity.table);
  return { build, entity, alias: `t${build.aliases}`, frame: { joins: [], rows: new Map() } };
}

export const columnSql = (row: SqlRow, name: string): string =>
  `${row.alias}."${getOwnProperty(row.entity.names, name) ?? name}"`;

/**
 * Raw SQL: returns the rows of a column that contains a JSON list. Each item has an integer `position`, which is also
 * the row's id. `columns` lists the other columns, as in a column definition list: "name text, count integer".
 */
export const jsonListRowsSql =
  (list: string, columns: string) =>
  (row: SqlRow): string =>
    `select t.*, t.position::text as id from jsonb_to_recordset(${columnSql(row, list)}) t (position integer, ${columns})`;

/** Returns a column or computed value of a row, with its type. Undefined if the entity has neither. */
export function fieldSql(row: SqlRow, name: string): { sql: string; type: ValueType } | undefined {
  const type = getOwnProperty(row.entity.columns, name);
  if (type) return { sql: columnSql(row, name), type };
  const computed = getOwnProperty(row.entity.computed, name);
  return computed && { sql: computed.sql(row), type: computed.type };
}

/** Condition that limits a row to the scope's organization and to rows that the caller may read. */
export function isReadableByCallerSql(row: SqlRow): string {
  const { personal } = row.entity;
  if (!personal) return inOrganizationSql(row);
  return `${inOrganizationSql(row)} and (${columnSql(row, personal.shared)} or ${columnSql(row, personal.owner)} = ${bindCaller(row.build)})`;
}

/** Condition that limits a row to the scope's organization, and includes personal rows of other users. */
export const inOrganizationSql = ({ build, entity, alias }: SqlRow): string =>
  `${alias}."${tenantColumn(entity)}" = ${entity.ownersOnly ? ownersOrganization(build, entity) : bindOrganization(build)}`;

const ownersOrganization = (build: StatementBuild, { name }: Entity): string =>
  bindParameter(build, `owners of ${name}`, "uuid", ({ scope }) => {
    if (scope.role !== "owner") throw forbidden(`only owners of the organization see a ${name.toLowerCase()}`);
    return scope.organizationId;
  });

/**
 * Joins the row of a to-one link once per FROM clause. The id of the joined row is null if the link leads to no row.
 */
export function joinLink(row: SqlRow, link: string): SqlRow {
  const key = `${row.alias}.${link}`;
  const known = row.frame.rows.get(key);
  if (known) return known;
  const toOne = getOwnProperty(row.entity.one, link);
  if (!toOne) throw new Error(`${row.entity.name} has no link ${link}`);
  const target = { ...newRow(row.build, findEntity(row.build, toOne.entity)), frame: row.frame };
  const { table } = target.entity;
  row.frame.rows.set(key, target);
  if (toOne.rows) {
    row.frame.joins.push(` left join lateral (${toOne.rows(row)}) ${target.alias} on true`);
  } else if (toOne.by) {
    row.frame.joins.push(
      ` left join "${table}" ${target.alias} on ${isReadableByCallerSql(target)} and ${columnSql(target, "id")} = ${columnSql(row, toOne.by)}`,
    );
  } else {
    const where = toOne.where?.(target, row) ?? "true";
    row.frame.joins.push(
      ` left join lateral (select ${target.alias}.* from "${table}" ${target.alias}` +
        ` where ${isReadableByCallerSql(target)} and ${where} limit 1) ${target.alias} on true`,
    );
  }
  return target;
}
