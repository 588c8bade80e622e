import { getOwnProperty } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import type { StatementBuild } from "../../read/entity.ts";
import { filterSql } from "../../read/filter/filter.ts";
import { jsonToTextSql } from "../../read/json.ts";
import { rowJson } from "../../read/plan.ts";
import {
  bindParameter,
  columnSql,
  findEntity,
  getArgumentShape,
  isReadableByCallerSql,
  newRow,
} from "../../read/row.ts";
import { type Selection, selectedArguments } from "../../read/selection.ts";
import type { CoercedArguments } from "../resource.ts";

/**
 * Returns a root field whose value is one row of an entity without a table. `compute` returns the SQL that computes the
 * row from recorded events.
 */
export const createComputedRowField = (
  entity: string,
  compute: (build: StatementBuild, selection: Selection) => string,
) => ({
  sql(build: StatementBuild, selection: Selection): string {
    build.reads.add("recorded_session").add("recorded_event");
    const row = newRow(build, findEntity(build, entity));
    const json = jsonToTextSql(rowJson(row, selection.children));
    return `(select ${json} from (${compute(build, selection)}) ${row.alias})`;
  },
});

/**
 * Returns a number among the arguments, or the default.
 * @throws inputError for a number below 1 or above the maximum
 */
export function readNumberArgument(args: CoercedArguments, name: string, usual: number, most: number): number {
  const count = Number(getOwnProperty(args, name) ?? usual);
  if (count < 1 || count > most) throw inputError(`${name} must be between 1 and ${most.toLocaleString("en")}`, name);
  return count;
}

/**
 * SQL for a limit that the planner does not know. `limit (select n)` makes the planner expect a tenth of the rows and
 * scan the index in the required order. With a known limit, the planner may expect few rows in a session or
 * organization, and then reads and sorts all rows.
 */
export const limitSql = (rows: number | string): string => `limit (select ${rows})`;

/**
 * SQL that begins with `and`: the session with the given id matches the filter argument of the field. An empty text
 * without a filter.
 */
export function matchesSessionFilterSql(build: StatementBuild, selection: Selection, id: string): string {
  const { filter } = getArgumentShape(build, selection);
  if (!filter) return "";
  const session = newRow(build, findEntity(build, "RecordedSession"));
  const inside = filterSql(session, { argumentIndex: selection.argumentIndex, path: ["filter"], value: filter });
  return `and exists (select from recorded_session ${session.alias}${session.frame.joins.join("")}
    where ${isReadableByCallerSql(session)} and ${columnSql(session, "id")} = ${id} and ${inside})`;
}

/** Binds a value that is computed from a field's arguments. */
export const bindArgument = (
  build: StatementBuild,
  selection: Selection,
  name: string,
  cast: string,
  read: (args: CoercedArguments, now: Date) => unknown,
): string =>
  bindParameter(build, `${selection.argumentIndex}.${name}`, cast, ({ args, scope }) =>
    read(selectedArguments(selection, args), scope.at),
  );

interface Comparator {
  eq?: string | null;
  neq?: string | null;
  in?: readonly string[] | null;
  nin?: readonly string[] | null;
}

/**
 * Returns the values that a comparator allows. The values are known while SQL is written, so an index can be used for
 * each value.
 */
export function readAllowedValues<Value extends string>(values: readonly Value[], comparator: unknown): Value[] {
  const { eq, neq, in: some, nin } = comparator as Comparator;
  return values.filter(
    (each) => (!eq || each === eq) && each !== neq && (!some || some.includes(each)) && !nin?.includes(each),
  );
}
