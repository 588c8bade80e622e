import type { Entity, SqlRow } from "../entity.ts";

/**
 * Whether the rows that a filter lets through are found first, and their ids compared then: of tables that are short beside
 * those which link to them. An id is there already, and what leads on to other tables may be much.
 */
export const findsFirst = ({ entity }: SqlRow, filter: unknown): boolean =>
  entity.few === true &&
  Object.entries(filter as Part).every(([name, value]) => {
    if (name === "and" || name === "or")
      return (value as Part[]).every((part) => !("id" in part) && isOwn(entity, part));
    return name !== "id" && isOwn(entity, { [name]: value });
  });

/** Whether a filter asks for nothing but values of the row itself. */
const isOwn = (entity: Entity, filter: Part): boolean =>
  Object.entries(filter).every(([name, value]) =>
    name === "and" || name === "or"
      ? (value as Part[]).every((part) => isOwn(entity, part))
      : !entity.one?.[name] && !entity.many?.[name] && (name in entity.columns || !entity.filters?.[name]),
  );

/** SQL of whether a column has one of the ids that a statement finds. That there are none is seen before any row is read. */
export const oneOf = (value: string, ids: string): string =>
  `(cardinality(array(${ids})) > 0 and ${value} = any(array(${ids})))`;

/** Conditions of a filter, by the names of what they are on. */
export type Part = Readonly<Record<string, unknown>>;
