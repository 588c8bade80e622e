import type { Place } from "./compare.ts";
import type { Row } from "./row.ts";

/** How a value is stored and shown. `timestamp` is timestamptz(3), shown as ISO 8601 in UTC with milliseconds. */
export type ValueType = "uuid" | "text" | "integer" | "float" | "boolean" | "timestamp" | "date" | "json" | "text[]";

/** A value that SQL computes from a row; `sql` may join to-one links through the row. */
export interface Computed {
  type: ValueType;
  sql(row: Row): string;
}

/** A link to at most one row: the one whose id `by` holds, or the first that satisfies `where`. */
export interface ToOne {
  entity: string;
  /** SQL of the row itself, computed from the source instead of found in a table. */
  rows?(source: Row): string;
  by?: string;
  where?(target: Row, source: Row | null): string;
}

/**
 * A link to many rows: those whose `by` holds this row's id, those joined by a link table, or those that satisfy
 * `where`. A link without `by` and `through` reaches every row of the organization. A paged link needs the index
 * (organizationId, <by>, createdAt, id).
 */
export interface ToMany {
  entity: string;
  /** SQL of the rows themselves, computed from the source instead of found in a table. */
  rows?(source: Row): string;
  /** The list is a course of events: it begins with the oldest. */
  oldestFirst?: true;
  by?: string;
  through?: { table: string; from: string; to: string };
  where?(target: Row, source: Row | null): string;
  /** There are never more than some hundred: a page of rows gets them in one go. */
  few?: true;
}

/** A resource as the reads, filters, sorts and the change log see it. Declared once, in resources/. */
export interface Entity {
  /** GraphQL type, and `type` in the change log. */
  name: string;
  table: string;
  /** Stem of its domain events, e.g. `issue` in `issue.created`; absent = not in the change log. */
  event?: string;
  /** The column that holds the organization, `organizationId` unless told. */
  tenant?: string;
  /** Columns under the names they have on the wire. */
  columns: Record<string, ValueType>;
  /** Columns that have another name in the table, by the name on the wire: ingestion stores under its own names. */
  names?: Record<string, string>;
  /** Columns that are never published: secrets and counters. */
  internal?: Record<string, ValueType>;
  computed?: Record<string, Computed>;
  /** Columns whose values are long, and the most bytes one may have: many together are measured before they are read. */
  long?: Readonly<Record<string, number>>;
  /** Computed values that the change log publishes beside the columns. */
  published?: readonly string[];
  /** Computed values and to-one links that mutations see of a row, beside its columns. */
  loaded?: readonly string[];
  /** Why a row can no longer be referred to, e.g. `is archived`. */
  refused?(row: Readonly<Record<string, unknown>>): string | undefined;
  /**
   * A table of few rows, every change of which but to counters is in the log: a process may remember rows of it and
   * have the database check that they are still so.
   */
  small?: true;
  /** Only owners may read it. */
  ownersOnly?: true;
  one?: Record<string, ToOne>;
  many?: Record<string, ToMany>;
  /** Conditions that filters offer beyond columns, computed values and links. */
  filters?: Record<string, (row: Row, place: Place) => string>;
  /** Rows that lists leave out unless `includeArchived`; archived ones unless told. */
  hidden?(row: Row): string;
  /** Finds a row by something people say instead of an id; `value` is a bound text. */
  reference?(row: Row, value: string): string;
  /** The team whose webhooks hear of a row: a column, or computed SQL. */
  teamOf?(row: Row): string;
  /** Sort steps beyond the columns of the same name, e.g. `workflowState`. */
  sorts?: Record<string, (row: Row) => string>;
}

/** Every entity by its name. */
export type Model = ReadonlyMap<string, Entity>;
