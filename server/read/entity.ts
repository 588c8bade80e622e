import type { Statement } from "../../db/open.ts";
import type { Scope } from "../scope.ts";
import type { ArgumentPath } from "./selection.ts";
import type { Shape } from "./shape.ts";
import type { Tuning } from "./tuning.ts";

/** The type by which a value is stored and shown. `timestamp` is timestamptz(3), shown as ISO 8601 in UTC with milliseconds. */
export type ValueType = "uuid" | "text" | "integer" | "float" | "boolean" | "timestamp" | "date" | "json" | "text[]";

/** The type of a column that may be null: only TypeScript sees the difference. */
export const nullable = <Type extends ValueType>(type: Type) => type as Type & { readonly nullable: true };

/** A value that SQL makes of a row; it may join to-one links through the row. */
interface Value {
  type: ValueType;
  sql(row: SqlRow): string;
}

/** A value that SQL computes from a row. One named `teamId` is the team whose webhooks receive changes of the row. */
export interface Computed extends Value {
  /** The change log publishes it beside the columns. */
  published?: true;
  /** Mutations see it of a row, beside the columns. */
  loaded?: true;
  /** No scope of OAuth shows it. */
  secret?: true;
}

/** A value by which rows are ordered. */
export interface OrderStep extends Value {
  descending?: true;
  /** It never is null: an order by it needs no place for rows without a value. */
  required?: true;
  /** The to-one link to few rows whose value it is: a page takes as many as it shows of each of them. */
  by?: string;
}

/**
 * The fate of a row when the row it links to is removed for good: it goes too (with a change of its own, or silently where
 * readers can conclude it from the change of the other), its link is emptied, or the other may not go, for the reason given.
 */
export type OnDelete = "cascade" | "cascade-silently" | "detach" | { refuse: string };

/** A link to at most one row. */
export type ToOne = StoredLink | FoundLink;

/** A link to the row whose id the column `by` holds. */
export interface StoredLink {
  entity: string;
  by: string;
  onDelete: OnDelete;
  /** Mutations see the row that it leads to. */
  loaded?: true;
  /** The list, on the entity that it leads to, of the rows that link to one. */
  inverse?: string;
  rows?: never;
  where?: never;
}

/** A link to the first row that satisfies `where`, or to one that `rows` computes. */
export interface FoundLink {
  entity: string;
  by?: never;
  loaded?: never;
  inverse?: never;
  /** SQL of the row itself, computed from the source instead of found in a table. */
  rows?(source: SqlRow): string;
  where?(target: SqlRow, source: SqlRow | null): string;
}

/** A table of pairs that joins rows of two entities. A pair goes with either of them. */
export interface LinkTable {
  table: string;
  from: string;
  to: string;
  /** The published list of ids that shows the pairs, on the entity whose changes publish it: one of the two sides. */
  publishedAs?: string;
  /** A column of that entity that keeps these ids as one text, by which rows are counted. */
  kept?: { column: string; of(ids: readonly string[]): string };
}

/**
 * A link to many rows: those whose `by` holds this row's id, those joined by a link table, or those that satisfy
 * `where`. A link without `by` and `through` reaches every row of the organization. A paged link needs the index
 * (organizationId, <by>, createdAt, id).
 */
export interface ToMany {
  entity: string;
  /** SQL of the rows themselves, computed from the source instead of found in a table. */
  rows?(source: SqlRow): string;
  /** The list is a course of events: it begins with the oldest. */
  oldestFirst?: true;
  by?: string;
  through?: LinkTable;
  where?(target: SqlRow, source: SqlRow | null): string;
  /** The most that there can be, where a rule says so: a page costs no more. */
  most?: number;
  /** There are at most some hundred: a page of rows reads them for all of its rows at once. */
  preload?: true;
}

/** A row before and after a mutation; null = there was or is none. */
export interface RowChange {
  id: string;
  before: Readonly<Record<string, unknown>> | null;
  after: Readonly<Record<string, unknown>> | null;
}

/** Values that follow from the rows of an entity and are stored beside them. Mutations keep them right. */
export interface Derivation {
  /** The table that holds them. */
  table: string;
  /** The columns that they follow from: a change of others leaves them as they are. */
  from: readonly string[];
  /** Statements that make them right again, sent once for all changes of a transaction, when the rows are written. */
  statements(organizationId: string, changes: readonly RowChange[]): Statement[];
  /** SQL that fills the empty table: then a backup leaves it out, and a restore makes it. */
  refill?: string;
  /** The values that are part of its column `text`, which has an index of its parts: searches read that. */
  searched?: readonly string[];
}

/** A resource as the reads, filters, sorts and the change log see it. Declared once, in resources/. */
export interface Entity {
  /** GraphQL type, and `type` in the change log. */
  name: string;
  /** The first entity of a table owns its rows; others show more of them. */
  table: string;
  /** Columns under the names they have on the wire. */
  columns: Record<string, ValueType>;
  /** Columns that are never published: secrets and counters. */
  internal?: Record<string, ValueType>;
  /** Columns that have another name in the table, by the name on the wire: ingestion stores under its own names. */
  names?: Record<string, string>;
  computed?: Record<string, Computed>;
  one?: Record<string, ToOne>;
  many?: Record<string, ToMany>;
  /** Tables beside its own, by the column that holds its id: their rows go with it, and make no change. */
  dependentTables?: Readonly<Record<string, string>>;
  /** Stem of its domain events, e.g. `issue` in `issue.created`; left out, no webhook receives its changes, if there are any. */
  event?: string;
  /** Its rows make changes: SQL of the JSON by which every stream shows who made one. */
  actor?(organization: string, id: string): string;
  /** Rows that lists leave out unless `includeArchived`; archived ones by default. */
  hidden?(row: SqlRow): string;
  /** Archived rows are in the trash, and go for good after 30 days. */
  archiveIsTrash?: true;
  /** Only owners may read it. */
  ownersOnly?: true;
  /**
   * A row is one user's alone until it is shared: the columns that say whose it is, and whether it is shared. The change
   * log has rows only while they are shared.
   */
  personal?: { owner: string; shared: string };
  /** Why a row can no longer be referred to, e.g. `is archived`. */
  refused?(row: Readonly<Record<string, unknown>>): string | undefined;
  /** Finds a row by a name that is used instead of its id, such as an identifier; `value` is a bound text. */
  reference?(row: SqlRow, value: string): string;
  /** Conditions that filters offer beyond columns, computed values and links. */
  filters?: Record<string, (row: SqlRow, argument: ArgumentPath) => string>;
  /** Orders beyond those by a column or computed value. One of several values has null in none of them. */
  sorts?: Record<string, OrderStep | readonly OrderStep[]>;
  /** SQL of whether a job has still to derive what lists of it show. Such lists have a member `incomplete`. */
  incomplete?(build: Build): string;
  /** SQL of back to when lists were looked through for what their filter asks; null to the end. They have a member `searchedSince`. */
  searchedSince?(build: Build, filter: ArgumentPath): string;
  /** Left out, rows are read well where there are some thousand with short values. */
  tuning?: Tuning;
}

/** Every entity by its name. */
export type Model = ReadonlyMap<string, Entity>;

/** The entities that own rows: of those with the same table the first. */
export function storedEntities(model: Model): Entity[] {
  const tables = new Set([""]);
  return [...model.values()].filter(({ table }) => !tables.has(table) && tables.add(table));
}

/** The column that holds the organization. */
export const tenantColumn = ({ names }: Pick<Entity, "names">): string => names?.["organizationId"] ?? "organizationId";

/** The source of a statement's parameters, at each execution. */
export interface Inputs {
  scope: Scope;
  /** Coerced arguments, one entry a field that takes any. */
  args: readonly Readonly<Record<string, unknown>>[];
  /** Values only this execution knows: ids of a mutation's outcome, a secret shown once. */
  given?: Readonly<Record<string, unknown>>;
}

/** The source of a value that is made before a statement is sent. */
export type GivenInputs = Pick<Inputs, "scope" | "args"> & Pick<Build, "model"> & { deadline: AbortSignal };

/** Takes one parameter's value from the inputs; throws when the input cannot be one. */
export type Getter = (inputs: Inputs) => unknown;

/** A statement being written: its parameters, its aliases, and as much of the arguments as it may depend on. */
export interface Build {
  model: Model;
  /** One entry a field that takes arguments; 0 where they are none of this statement's. */
  shapes: readonly (Shape | 0)[];
  getters: Getter[];
  bound: Map<string, string>;
  /** The tables that the statement reads. */
  reads: Set<string>;
  aliases: number;
  /** The number of searches in the statement: they share what it may read. */
  searches?: number;
  /** Searches look at the newest texts alone, as many as may be read. */
  newestAlone?: true;
  /** The organization's urlKey is given to the statement as a value, so that it need not read it. */
  urlKeyGiven?: true;
}

/** One FROM clause being written. Joins are added as expressions ask for them. */
interface Frame {
  joins: string[];
  rows: Map<string, SqlRow>;
}

/** A row that expressions can refer to. */
export interface SqlRow {
  build: Build;
  entity: Entity;
  alias: string;
  frame: Frame;
  /** The page that the row is one of, under a name that other parts of the statement can read it by. */
  page?: { name: string; used: boolean };
}
