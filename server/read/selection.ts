/**
 * One selected field, after the specification's CollectFields: fragments and directives resolved, equal response
 * keys merged, in query order. graphql/document makes it; read/plan turns it into SQL.
 */
export interface Selection {
  /** Response key: the alias, or the field's name. */
  key: string;
  field: string;
  /** Named type of the value, e.g. `Issue` or `IssueConnection`. */
  type: string;
  list: boolean;
  /** True if the value is declared never to be null. */
  nonNull: boolean;
  /** True if it is a page of a list: `first` or `last` multiplies what is below it. */
  connection: boolean;
  /** True if the value has one of several types: then `children` are what is selected of each, under its name. */
  variants?: true;
  /** JSON text of a value that is the same for every row and caller, such as `__typename`. */
  constant?: string;
  /** True if its size is asked for, in bytes, and not the value. */
  measured?: true;
  /** The index of the field's coerced arguments in `Inputs.args`; -1 when it takes none. */
  argumentIndex: number;
  /** Selected fields of the value; empty for a leaf. */
  children: readonly Selection[];
}

const NO_ARGS: Readonly<Record<string, unknown>> = {};

/** The coerced arguments of a field. */
export const argsOf = (selection: Selection, args: readonly Readonly<Record<string, unknown>>[]) =>
  args[selection.argumentIndex] ?? NO_ARGS;

/** A filter, or a part of one, with the path to it: a getter reads its values by the path, at each execution. */
export interface ArgumentPath {
  /** The index of the field's arguments in `Inputs.args`. */
  argumentIndex: number;
  path: readonly string[];
  /** The shape of the value there: SQL may depend on this and on nothing else. */
  value: unknown;
  /** True in the filter of a list at the root: of its rows, no more than a page of the newest is asked for. */
  page?: boolean;
}
