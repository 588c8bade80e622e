import { readOwn } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import type { Build } from "../../read/entity.ts";
import { filterSql } from "../../read/filter/filter.ts";
import { textSql } from "../../read/json.ts";
import { rowJson } from "../../read/plan.ts";
import { bind, column, entityOf, inTenant, newRow, shapeOf } from "../../read/row.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import type { Arguments } from "../resource.ts";

/** A root field that answers one row of an entity without a table, which SQL computes of recorded events. */
export const computedRow = (entity: string, compute: (build: Build, selection: Selection) => string) => ({
  sql(build: Build, selection: Selection): string {
    build.reads.add("recorded_session").add("recorded_event");
    const row = newRow(build, entityOf(build, entity));
    const json = textSql(rowJson(row, selection.children));
    return `(select ${json} from (${compute(build, selection)}) ${row.alias})`;
  },
});

/**
 * A number among the arguments, or what it usually is.
 * @throws inputError for less than one or too many
 */
export function within(args: Arguments, name: string, usual: number, most: number): number {
  const count = Number(readOwn(args, name) ?? usual);
  if (count < 1 || count > most) throw inputError(`${name} must be between 1 and ${most.toLocaleString("en")}`, name);
  return count;
}

/**
 * SQL of a limit, given in SQL too, that the planner does not know: it takes it for a tenth of the rows and walks the index that has their
 * order. Where it expects fewer rows than that, of a session or of an organization, it would read all of them and sort.
 */
export const atMost = (rows: number | string): string => `limit (select ${rows})`;

/** SQL of the condition that the session of an id passes the field's filter; empty without one. */
export function passingSql(build: Build, selection: Selection, id: string): string {
  const { filter } = shapeOf(build, selection);
  if (!filter) return "";
  const session = newRow(build, entityOf(build, "RecordedSession"));
  const inside = filterSql(session, { argumentIndex: selection.argumentIndex, path: ["filter"], value: filter });
  return `and exists (select from recorded_session ${session.alias}${session.frame.joins.join("")}
    where ${inTenant(session)} and ${column(session, "id")} = ${id} and ${inside})`;
}

/** A value that is made of a field's arguments, as a parameter. */
export const bound = (
  build: Build,
  selection: Selection,
  name: string,
  cast: string,
  read: (args: Arguments, now: Date) => unknown,
): string =>
  bind(build, `${selection.argumentIndex}.${name}`, cast, ({ args, scope }) => read(argsOf(selection, args), scope.at));

interface Comparator {
  eq?: string | null;
  neq?: string | null;
  in?: readonly string[] | null;
  nin?: readonly string[] | null;
}

/** Those of some values that a comparator allows: which they are is known when SQL is written, so that an index serves each. */
export function chosen<Value extends string>(values: readonly Value[], comparator: unknown): Value[] {
  const { eq, neq, in: some, nin } = comparator as Comparator;
  return values.filter(
    (each) => (!eq || each === eq) && each !== neq && (!some || some.includes(each)) && !nin?.includes(each),
  );
}
