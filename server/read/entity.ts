import type { Statement } from "../../db/open.ts";
import type { Scope } from "../scope.ts";
import type { ArgumentPath } from "./selection.ts";
import type { ArgumentShape } from "./shape.ts";
import type { ReadTuning } from "./tuning.ts";

/**
 * Type of a value, as stored and as shown. `timestamp` is timestamptz(3), shown as ISO 8601 in UTC with milliseconds.
 */
export type ValueType = "uuid" | "text" | "integer" | "float" | "boolean" | "timestamp" | "date" | "json" | "text[]";

/** Marks the type of a column that may be null. Only TypeScript distinguishes nullable types. */
export const nullable = <Type extends ValueType>(type: Type) => type as Type & { readonly nullable: true };

/** A value that SQL computes from a row. The SQL may join to-one links through the row. */
interface Value {
  type: ValueType;
  sql(row: SqlRow): string;
}

/**
 * A value that SQL computes from a row. A value named `teamId` is the team whose webhooks receive the row's changes.
 */
export interface ComputedValue extends Value {
  /** The change log publishes the value in addition to the columns. */
  published?: true;
  /** Mutations load the value in addition to the columns. */
  loaded?: true;
  /** No OAuth scope grants access to the value. */
  secret?: true;
}

/** A value that lists can be sorted by. */
export interface OrderStep extends Value {
  descending?: true;
  /** The value is never null, so an order needs no position for null values. */
  required?: true;
  /**
   * Name of the to-one link to a small table that contains the value. For each row of the small table, a page reads at
   * most as many rows as the page size.
   */
  by?: string;
}

/**
 * Effect on a row when its linked row is deleted permanently:
 * - `cascade` deletes the row and logs a change;
 * - `cascade-silently` deletes the row without a change, because readers can conclude the deletion from the linked
 *   row's change;
 * - `detach` sets the link to null;
 * - `refuse` rejects the deletion, with a reason.
 */
export type OnDelete = "cascade" | "cascade-silently" | "detach" | { refuse: string };

export type ToOne = StoredLink | ComputedLink;

/** A link to the row whose id the column `by` contains. */
export interface StoredLink {
  entity: string;
  by: string;
  onDelete: OnDelete;
  /** Mutations load the linked row. */
  loaded?: true;
  /** Name of the reverse list on the linked entity. */
  inverse?: string;
  rows?: never;
  where?: never;
}

/** A link to the first row that satisfies `where`, or to a row that `rows` computes. */
export interface ComputedLink {
  entity: string;
  by?: never;
  loaded?: never;
  inverse?: never;
  /** SQL for a computed row, instead of a row from a table. */
  rows?(source: SqlRow): string;
  where?(target: SqlRow, source: SqlRow | null): string;
}

/** A table of pairs that join rows of two entities. Deleting a row of either entity deletes its pairs. */
export interface LinkTable {
  table: string;
  from: string;
  to: string;
  /** Name of the published list of ids that shows the pairs. Set only on the entity whose changes publish the list. */
  publishedAs?: string;
  /** Column of that entity that stores the ids as one text, so that rows can be counted by the set of ids. */
  kept?: { column: string; of(ids: readonly string[]): string };
}

/**
 * A link to many rows: rows whose `by` contains this row's id, rows joined by a link table, or rows that satisfy
 * `where`. A link without `by` and `through` reaches every row of the organization. A paged link needs the index
 * (organizationId, <by>, createdAt, id).
 */
export interface ToMany {
  entity: string;
  /** SQL for computed rows, instead of rows from a table. */
  rows?(source: SqlRow): string;
  /** The list is chronological and begins with the oldest entry. */
  oldestFirst?: true;
  by?: string;
  through?: LinkTable;
  where?(target: SqlRow, source: SqlRow | null): string;
  /** Maximum number of rows, if a rule limits the number. A page costs no more points than this number. */
  most?: number;
  /** The link has a few hundred rows at most. A page reads the link once for all its rows. */
  preload?: true;
}

/** A row before and after a mutation. Null means that the row did not or does not exist. */
export interface RowChange {
  id: string;
  before: Readonly<Record<string, unknown>> | null;
  after: Readonly<Record<string, unknown>> | null;
}

/** Stored values that are derived from an entity's rows. Mutations keep the values current. */
export interface Derivation {
  /** The table that stores the derived values. */
  table: string;
  /** The columns that the values depend on. Changes to other columns do not affect the values. */
  from: readonly string[];
  /** Returns the statements that update the values. Sent once for all changes of a transaction, after the rows. */
  statements(organizationId: string, changes: readonly RowChange[]): Statement[];
  /** SQL that fills the empty table. With `refill`, a backup omits the table and a restore fills the table again. */
  refill?: string;
  /** Fields that are part of the table's column `text`. Searches read the trigram index of that column. */
  searched?: readonly string[];
}

/** A resource as seen by reads, filters, sorts and the change log. Declared once, in resources/. */
export interface Entity {
  /** Name of the GraphQL type, and `type` in the change log. */
  name: string;
  /** Name of the table. The first entity declared for a table owns the rows; other entities show the same rows. */
  table: string;
  /** Columns by wire name. */
  columns: Record<string, ValueType>;
  /** Columns that are never published: secrets and counters. */
  internal?: Record<string, ValueType>;
  /**
   * Database names of the columns whose database name differs from the wire name, by wire name. The tables of ingestion
   * have different column names.
   */
  names?: Record<string, string>;
  computed?: Record<string, ComputedValue>;
  /**
   * Text columns that filters compare byte by byte: identities, and words of a closed list. In other columns, texts
   * that differ only in their Unicode normal form are equal.
   */
  exact?: readonly string[];
  one?: Record<string, ToOne>;
  many?: Record<string, ToMany>;
  /**
   * Other tables that contain this entity's id, with the column for the id. Deleting the entity deletes these rows
   * without a change.
   */
  dependentTables?: Readonly<Record<string, string>>;
  /** Stem of event names, such as `issue` in `issue.created`. Without a stem, webhooks receive no changes. */
  event?: string;
  /** Returns SQL for the JSON of an author, which every stream of changes shows. Declared by the entity of users. */
  actor?(organization: string, id: string): string;
  /** SQL condition for rows that lists omit without `includeArchived`. Archived rows by default. */
  hidden?(row: SqlRow): string;
  /** Archived rows are in the trash and are deleted permanently after 30 days. */
  archiveIsTrash?: true;
  /** Only owners may read the entity. */
  ownersOnly?: true;
  /**
   * Columns for the owner and for the shared state. A personal row belongs to one user until the user shares the row.
   * The change log contains only shared rows.
   */
  personal?: { owner: string; shared: string };
  /** Reason why a row can no longer be referenced, such as `is archived`. */
  refused?(row: Readonly<Record<string, unknown>>): string | undefined;
  /** SQL condition that finds a row by a name other than the id, such as an identifier. `value` is a bound text. */
  reference?(row: SqlRow, value: string): string;
  /**
   * Filter conditions with custom SQL. A condition with the name of a column, computed value or link replaces the usual
   * condition.
   */
  filters?: Record<string, (row: SqlRow, argument: ArgumentPath) => string>;
  /**
   * Sort orders with custom SQL. An order with the name of a column or computed value replaces the usual order. If an
   * order has several values, none of the values is ever null.
   */
  sorts?: Record<string, OrderStep | readonly OrderStep[]>;
  /**
   * SQL that is true if a job has not yet derived all values that lists of the entity show. Lists of an entity with
   * this SQL have the member `incomplete`.
   */
  incomplete?(build: StatementBuild): string;
  /**
   * SQL for the earliest time that was searched for a filtered list; null if all rows were searched. The lists have the
   * field `searchedSince`.
   */
  searchedSince?(build: StatementBuild, filter: ArgumentPath): string;
  /** Settings that make reads faster. Without tuning, reads are fast only for a few thousand rows with short values. */
  tuning?: ReadTuning;
}

export type EntityModel = ReadonlyMap<string, Entity>;

/** Returns the entities that own rows: the first entity of each table. */
export function storedEntities(model: EntityModel): Entity[] {
  const tables = new Set([""]);
  return [...model.values()].filter(({ table }) => !tables.has(table) && tables.add(table));
}

/** Returns the column that contains the organization's id. */
export const tenantColumn = ({ names }: Pick<Entity, "names">): string => names?.["organizationId"] ?? "organizationId";

/** Inputs from which the parameters of a statement are computed at each execution. */
export interface StatementInputs {
  scope: Scope;
  /** Coerced arguments, one entry per field that takes arguments. */
  args: readonly Readonly<Record<string, unknown>>[];
  /** Values that only this execution has, such as ids from a mutation's outcome, or a secret that is shown once. */
  given?: Readonly<Record<string, unknown>>;
}

/** Inputs for a value that the server computes before it sends a statement. */
export type GivenValueInputs = Pick<StatementInputs, "scope" | "args"> &
  Pick<StatementBuild, "model"> & { deadline: AbortSignal };

/** Returns the value of one parameter from the inputs. Throws if the input is not a valid value. */
export type ParameterGetter = (inputs: StatementInputs) => unknown;

/** A statement under construction: parameters, aliases, and the part of the arguments that the SQL may depend on. */
export interface StatementBuild {
  model: EntityModel;
  /** One entry per field that takes arguments; 0 for fields that do not belong to this statement. */
  shapes: readonly (ArgumentShape | 0)[];
  getters: ParameterGetter[];
  bound: Map<string, string>;
  /** Tables that the statement reads. */
  reads: Set<string>;
  aliases: number;
  /** Number of searches in the statement. The searches share one read limit. */
  searches?: number;
  /** Searches read only the newest texts, up to the read limit. */
  newestAlone?: true;
  /** The organization's `urlKey` is a parameter of the statement, so the SQL does not read the organization's row. */
  urlKeyGiven?: true;
}

/** One FROM clause under construction. Expressions add joins as needed. */
interface Frame {
  joins: string[];
  rows: Map<string, SqlRow>;
}

/** A row that SQL expressions can refer to. */
export interface SqlRow {
  build: StatementBuild;
  entity: Entity;
  alias: string;
  frame: Frame;
  /** The page that contains the row, with a name under which other parts of the statement can read the page. */
  page?: { name: string; used: boolean };
}
