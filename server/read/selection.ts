/**
 * One selected field, as the CollectFields algorithm of the GraphQL specification returns it: fragments and
 * directives are resolved, equal response keys are merged, and the query's order is kept. graphql/document creates
 * selections; read/plan turns selections into SQL.
 */
export interface Selection {
  /** Response key: the alias, or the field's name. */
  key: string;
  field: string;
  /** Named type of the value, such as `Issue` or `IssueConnection`. */
  type: string;
  list: boolean;
  /** True if the schema declares the value as non-null. */
  nonNull: boolean;
  /** True if the value is a page of a list. `first` or `last` multiplies the cost of its children. */
  connection: boolean;
  /**
   * True if the value has one of several types. `children` then contains one entry per type, with the type's selected
   * fields.
   */
  variants?: true;
  /** JSON text of a value that is the same for every row and caller, such as `__typename`. */
  constant?: string;
  /** True if the query needs the size of the value in bytes instead of the value. */
  measured?: true;
  /** Index of the field's coerced arguments in `Inputs.args`; -1 if the field has no arguments. */
  argumentIndex: number;
  /** Selected fields of the value. Empty for a leaf. */
  children: readonly Selection[];
}

const NO_ARGS: Readonly<Record<string, unknown>> = {};

export const selectedArguments = (selection: Selection, args: readonly Readonly<Record<string, unknown>>[]) =>
  args[selection.argumentIndex] ?? NO_ARGS;

/** A filter or a part of a filter, with its path. At each execution a getter reads the values by this path. */
export interface ArgumentPath {
  /** Index of the field's arguments in `Inputs.args`. */
  argumentIndex: number;
  path: readonly string[];
  /** Shape of the value at the path. SQL may depend only on this shape. */
  value: unknown;
  /** True if the filter belongs to a root list. A root list reads at most a page of the newest rows. */
  page?: boolean;
}
