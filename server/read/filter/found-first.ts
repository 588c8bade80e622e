import type { Entity, SqlRow } from "../entity.ts";
import { column, inTenant } from "../row.ts";
import type { Condition } from "./condition.ts";

type Part = Readonly<Record<string, unknown>>;

/**
 * Tells whether the rows that a filter lets through are found first, and their ids compared then: of tables that are short beside
 * those which link to them. An id is there already, and what leads on to other tables may be much.
 */
export const findsFirst = ({ entity }: SqlRow, filter: unknown): boolean =>
  isShort(entity) &&
  Object.entries(filter as Part).every(([name, value]) => {
    if (name === "and" || name === "or")
      return (value as Part[]).every((part) => !("id" in part) && isOwn(entity, part));
    return name !== "id" && isOwn(entity, { [name]: value });
  });

const isShort = ({ tuning }: Entity): boolean => tuning?.few !== undefined;

/** Tells whether a filter asks for nothing but values of the row itself. */
const isOwn = (entity: Entity, filter: Part): boolean =>
  Object.entries(filter).every(([name, value]) =>
    name === "and" || name === "or"
      ? (value as Part[]).every((part) => isOwn(entity, part))
      : !entity.one?.[name] && !entity.many?.[name] && (name in entity.columns || !entity.filters?.[name]),
  );

/**
 * That a column has the id of one of the rows which satisfy a condition.
 * Raw SQL: a part of what the read planner writes. That there are none is seen before any row is read.
 */
export function oneOf(value: string, target: SqlRow, inside: string): Condition {
  const ids = `select ${column(target, "id")} from "${target.entity.table}" ${target.alias}${target.frame.joins.join("")}
    where ${inTenant(target)} and ${inside}`;
  const possible = `cardinality(array(${ids})) > 0`;
  return { sql: `(${possible} and ${value} = any(array(${ids})))`, possible };
}
