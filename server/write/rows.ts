import type { ValueType } from "../read/entity.ts";

/**
 * A row in wire format: timestamps as ISO text and dates as YYYY-MM-DD, so that values can be compared and published
 * unchanged.
 */
export type WireRow = Record<string, unknown>;

type ValueOf<Type> = Type extends "integer" | "float"
  ? number
  : Type extends "boolean"
    ? boolean
    : Type extends "text[]"
      ? string[]
      : Type extends "json"
        ? unknown
        : string;

/** The values of declared columns, by column name. */
export type ColumnValues<Columns extends Readonly<Record<string, ValueType>>> = {
  -readonly [Name in keyof Columns]: Columns[Name] extends { readonly nullable: true }
    ? ValueOf<Columns[Name]> | null
    : ValueOf<Columns[Name]>;
};

/**
 * Types of each entity's rows: `stored` has the columns and internal columns, `loaded` has the other values that
 * mutations see. Every resource adds an entry from its declared columns, so that a misspelt column is a type error.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the resources fill it in
export interface Rows {}

/** Name of an entity that mutations read or write. */
export type EntityName = keyof Rows;

type StoredOf<Name> = Name extends EntityName
  ? Rows[Name] extends { stored: infer Stored }
    ? Stored
    : never
  : WireRow;
type LoadedOf<Name> = Name extends EntityName
  ? Rows[Name] extends { loaded: infer Loaded }
    ? Loaded
    : unknown
  : unknown;

/** An existing row, in the state at the time of loading. Later writes do not change this object. */
export type LoadedRow<Name extends string = string> = { id: string } & StoredOf<Name> & LoadedOf<Name>;

/** Columns that `create` sets if the caller does not. */
type Given = "id" | "createdAt" | "updatedAt" | "organizationId";
type NullableOf<Row> = { [Name in keyof Row]: null extends Row[Name] ? Name : never }[keyof Row];
type Optional<Row> = Extract<keyof Row, NullableOf<Row> | Given>;

/**
 * Values of a new row: every non-null column that `create` does not set. Other columns are optional, and nullable
 * columns default to null.
 */
export type NewRow<Name extends string> = Name extends EntityName
  ? Omit<StoredOf<Name>, Optional<StoredOf<Name>>> & {
      [Column in Optional<StoredOf<Name>>]?: StoredOf<Name>[Column] | null | undefined;
    }
  : WireRow;

/** Columns to change. A column that is undefined stays unchanged. */
export type RowPatch<Name extends string> = Name extends EntityName
  ? { [Column in keyof StoredOf<Name>]?: StoredOf<Name>[Column] | undefined }
  : WireRow;
