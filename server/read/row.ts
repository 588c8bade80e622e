import { readOwn } from "../../formats/own.ts";
import { forbidden } from "../errors.ts";
import {
  type Build,
  type Entity,
  type Getter,
  type Model,
  type SqlRow,
  tenantColumn,
  type ValueType,
} from "./entity.ts";
import type { Selection } from "./selection.ts";
import type { Shape } from "./shape.ts";

/**
 * Bytes that a getter retains: itself, what it closes over and the path to its value. Measured with plans of 2, 11 and
 * 102 of them: 620 to 780 each.
 */
export const GETTER_BYTES = 850;

export const newBuild = (model: Model, shapes: Build["shapes"]): Build => ({
  model,
  shapes,
  getters: [],
  bound: new Map(),
  reads: new Set(),
  aliases: 0,
});

/** Binds a parameter; the same `key` and cast share one. Returns e.g. `$3::uuid`. */
export function bind(build: Build, key: string, cast: string, get: Getter): string {
  const id = `${key}::${cast}`;
  const known = build.bound.get(id);
  if (known) return known;
  build.getters.push(get);
  const reference = `$${build.getters.length}::${cast}`;
  build.bound.set(id, reference);
  return reference;
}

const NO_ARGUMENTS: Shape = {};

/** The arguments of a field as far as the SQL may depend on them. Their values are read in getters. */
export function shapeOf({ shapes }: Build, { argumentIndex, field }: Selection): Shape {
  const shape = argumentIndex < 0 ? NO_ARGUMENTS : shapes[argumentIndex];
  if (!shape) throw new Error(`the arguments of ${field} are not in the key of this statement`);
  return shape;
}

/** The organization of the scope, as a parameter. */
export const organization = (build: Build): string =>
  bind(build, "organizationId", "uuid", ({ scope }) => scope.organizationId);

/** The user of the scope, as a parameter. */
export const caller = (build: Build): string => bind(build, "userId", "uuid", ({ scope }) => scope.userId);

/** The base of every url, as a parameter. */
export const publicUrl = (build: Build): string => bind(build, "publicUrl", "text", ({ scope }) => scope.publicUrl);

/** A value that the execution is given beside its arguments, as a parameter. */
export const given = (build: Build, name: string, cast: string): string =>
  bind(build, `given.${name}`, cast, (inputs) => readOwn(inputs.given, name) ?? null);

/** Names of the values that a statement was written to be given. */
export const givenIn = ({ bound }: Build): string[] =>
  [...bound.keys()].flatMap((key) => /^given\.(.*)::/.exec(key)?.[1] ?? []);

/** The declared entity of that name. */
export function entityOf(build: Build, name: string): Entity {
  const entity = build.model.get(name);
  if (!entity) throw new Error(`no entity ${name}`);
  return entity;
}

/** A table that an expression reads beside those of entities, quoted; the statement says that it reads it. */
export function tableOf(build: Build, name: string): string {
  build.reads.add(name);
  return `"${name}"`;
}

/** A fresh alias of an entity in a FROM clause of its own. */
export function newRow(build: Build, entity: Entity): SqlRow {
  build.aliases += 1;
  build.reads.add(entity.table);
  return { build, entity, alias: `t${build.aliases}`, frame: { joins: [], rows: new Map() } };
}

/** A column of a row. */
export const column = (row: SqlRow, name: string): string =>
  `${row.alias}."${readOwn(row.entity.names, name) ?? name}"`;

/**
 * Raw SQL: the rows that a column of a computed row lists in JSON, each with an integer `position`, which is its id too. `columns`
 * are the others, as in a column definition list: "name text, count integer".
 */
export const listedRows =
  (list: string, columns: string) =>
  (row: SqlRow): string =>
    `select t.*, t.position::text as id from jsonb_to_recordset(${column(row, list)}) t (position integer, ${columns})`;

/** A column or computed value of a row, with its type; undefined when the entity has neither. */
export function fieldValue(row: SqlRow, name: string): { sql: string; type: ValueType } | undefined {
  const type = readOwn(row.entity.columns, name);
  if (type) return { sql: column(row, name), type };
  const computed = readOwn(row.entity.computed, name);
  return computed && { sql: computed.sql(row), type: computed.type };
}

/** The condition that keeps a row in the scope's organization, and from those who may not read it. */
export function inTenant(row: SqlRow): string {
  const { personal } = row.entity;
  if (!personal) return inOrganization(row);
  return `${inOrganization(row)} and (${column(row, personal.shared)} or ${column(row, personal.owner)} = ${caller(row.build)})`;
}

/** The same, of rows that are somebody else's alone too. */
export const inOrganization = ({ build, entity, alias }: SqlRow): string =>
  `${alias}."${tenantColumn(entity)}" = ${entity.ownersOnly ? ownersOrganization(build, entity) : organization(build)}`;

const ownersOrganization = (build: Build, { name }: Entity): string =>
  bind(build, `owners of ${name}`, "uuid", ({ scope }) => {
    if (scope.role !== "owner") throw forbidden(`only owners of the organization see a ${name.toLowerCase()}`);
    return scope.organizationId;
  });

/** The row a to-one link leads to, joined once a FROM clause; its id is null when there is none. */
export function joined(row: SqlRow, link: string): SqlRow {
  const key = `${row.alias}.${link}`;
  const known = row.frame.rows.get(key);
  if (known) return known;
  const toOne = readOwn(row.entity.one, link);
  if (!toOne) throw new Error(`${row.entity.name} has no link ${link}`);
  const target = { ...newRow(row.build, entityOf(row.build, toOne.entity)), frame: row.frame };
  const { table } = target.entity;
  row.frame.rows.set(key, target);
  if (toOne.rows) {
    row.frame.joins.push(` left join lateral (${toOne.rows(row)}) ${target.alias} on true`);
  } else if (toOne.by) {
    row.frame.joins.push(
      ` left join "${table}" ${target.alias} on ${inTenant(target)} and ${column(target, "id")} = ${column(row, toOne.by)}`,
    );
  } else {
    const where = toOne.where?.(target, row) ?? "true";
    row.frame.joins.push(
      ` left join lateral (select ${target.alias}.* from "${table}" ${target.alias}` +
        ` where ${inTenant(target)} and ${where} limit 1) ${target.alias} on true`,
    );
  }
  return target;
}
