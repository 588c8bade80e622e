import { getOwnProperty } from "../../../formats/own.ts";
import { type Entity, type EntityModel, storedEntities } from "../../read/entity.ts";
import type { RowOperation, WriteContext } from "../write.ts";

/** An entity whose rows are separate (`tuning.separate`), and the column of a table that contains the entity's id. */
interface Separate {
  entity: Entity;
  column: string;
}

/** Entities by table name. */
interface Tables {
  separate: ReadonlyMap<string, Separate>;
  small: ReadonlyMap<string, Entity>;
}

const known = new WeakMap<EntityModel, Tables>();

function tablesOf(model: EntityModel): Tables {
  const entities = storedEntities(model);
  const tables = known.get(model) ?? {
    separate: new Map(entities.flatMap((entity) => separateTables(entity))),
    small: new Map(
      entities.flatMap((entity) => (entity.tuning?.few === "cached" ? [[entity.table, entity] as const] : [])),
    ),
  };
  known.set(model, tables);
  return tables;
}

const separateTables = (entity: Entity): (readonly [string, Separate])[] =>
  entity.tuning?.separate
    ? Object.entries({ [entity.table]: "id", ...entity.tuning.separate.parts }).map(([table, column]) => [
        table,
        { entity, column },
      ])
    : [];

/**
 * Returns the entity with `tuning.separate` whose row an operation changes, either in the entity's own table or in a
 * table of parts. `id` is undefined if the operation does not name a single row.
 */
export function findSeparateRow(
  model: EntityModel,
  operation: RowOperation,
): { entity: Entity; id: string | undefined } | undefined {
  const found = tablesOf(model).separate.get(operation.table);
  if (!found) return undefined;
  const id = getOwnProperty(operation.kind === "insert" ? operation.row : operation.where, found.column);
  return { entity: found.entity, id: typeof id === "string" ? id : undefined };
}

/** Returns true if a mutation writes only separate rows and counters of small tables. */
export const isPlainMutation = ({ model, operations, followUps, direct }: WriteContext): boolean =>
  !direct &&
  followUps.length === 0 &&
  operations.every(
    (operation) =>
      (operation.kind !== "remove" && findSeparateRow(model, operation) !== undefined) || isCounter(model, operation),
  );

/**
 * Returns true if an operation sets only internal columns, such as counters, of a small table. An operation that sets
 * only internal columns logs no change.
 */
function isCounter(model: EntityModel, operation: RowOperation): boolean {
  const internal = tablesOf(model).small.get(operation.table)?.internal ?? {};
  return operation.kind === "update" && Object.keys(operation.patch).every((column) => Object.hasOwn(internal, column));
}
