import type { ValueType } from "../read/entity.ts";

/** A row in wire form: moments as ISO text, days as YYYY-MM-DD, so that values compare and publish as they are. */
export type Raw = Record<string, unknown>;

/** The TypeScript type of a declared column's value. */
type ValueOf<Type> = Type extends "integer" | "float"
  ? number
  : Type extends "boolean"
    ? boolean
    : Type extends "text[]"
      ? string[]
      : Type extends "json"
        ? unknown
        : string;

/** The values of declared columns. */
export type RowOf<Columns extends Readonly<Record<string, ValueType>>> = {
  -readonly [Name in keyof Columns]: Columns[Name] extends { readonly nullable: true }
    ? ValueOf<Columns[Name]> | null
    : ValueOf<Columns[Name]>;
};

/**
 * The contents of each entity's rows: `stored`, its columns and internal ones, and `loaded`, what mutations see beside them.
 * Every resource adds its own line from its declared columns, so that a misspelt column is a type error.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the resources fill it in
export interface Rows {}

/** An entity that mutations read or write. */
export type EntityName = keyof Rows;

type StoredOf<Name> = Name extends EntityName ? (Rows[Name] extends { stored: infer Stored } ? Stored : never) : Raw;
type LoadedOf<Name> = Name extends EntityName
  ? Rows[Name] extends { loaded: infer Loaded }
    ? Loaded
    : unknown
  : unknown;

/** A row that exists: as it was when it was found, whatever is written afterwards. */
export type Found<Name extends string = string> = { id: string } & StoredOf<Name> & LoadedOf<Name>;

/** Columns that are filled in when a row is made. */
type Given = "id" | "createdAt" | "updatedAt" | "organizationId";
type NullableOf<Row> = { [Name in keyof Row]: null extends Row[Name] ? Name : never }[keyof Row];
type Optional<Row> = Extract<keyof Row, NullableOf<Row> | Given>;

/**
 * The values of a new row: every column that is not filled in and may not be null. The others may be absent: the
 * nullable ones are null then.
 */
export type NewRow<Name extends string> = Name extends EntityName
  ? Omit<StoredOf<Name>, Optional<StoredOf<Name>>> & {
      [Column in Optional<StoredOf<Name>>]?: StoredOf<Name>[Column] | null | undefined;
    }
  : Raw;

/** Columns to change; undefined leaves one as it is. */
export type Patch<Name extends string> = Name extends EntityName
  ? { [Column in keyof StoredOf<Name>]?: StoredOf<Name>[Column] | undefined }
  : Raw;
