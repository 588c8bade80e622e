import { MAX_PAGE, sizeOf } from "../../read/connection/page.ts";
import type { Entity, Inputs } from "../../read/entity.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import { model } from "../../resources/index.ts";
import { MAX_ANSWER_BYTES } from "../document/limits.ts";
import { FieldError } from "../operation/field-error.ts";
import { type PlanRow, textOf, tooLong } from "./answer-bound.ts";

/**
 * Refuses an answer that its long texts would make too long, before the database puts it together: where they might,
 * the sizes of the same rows are read first, which needs none of the texts.
 * @throws FieldError
 */
export async function refuseTooLong(
  roots: readonly Selection[],
  args: Inputs["args"],
  sizes: (long: readonly Selection[]) => Promise<PlanRow | undefined>,
): Promise<void> {
  const long = knownLong.get(roots) ?? longIn(roots);
  knownLong.set(roots, long);
  const [first] = long;
  if (!first || mostBytes(long, args) <= MAX_ANSWER_BYTES) return;
  const row = await sizes(long);
  const bytes = long.reduce((sum, _, at) => sum + sumOf(JSON.parse(textOf(row, at) ?? "0")), 0);
  if (bytes > MAX_ANSWER_BYTES) throw new FieldError(first.key, tooLong());
}

/** The selections that long values were found in, kept as long as those of their document. */
const knownLong = new WeakMap<readonly Selection[], readonly Selection[]>();

/** The selections that lead to long values, whose size is asked for. */
const longIn = (selections: readonly Selection[], entity?: Entity): Selection[] =>
  selections.flatMap((selection): Selection[] => {
    if (selection.constant !== undefined) return [];
    if (entity?.tuning?.long?.[selection.field]) return [{ ...selection, measured: true }];
    const children = longIn(selection.children, model.get(selection.type));
    return children.length > 0 ? [{ ...selection, children }] : [];
  });

/** The most bytes that the values can have. A page multiplies its content, and so does a list that has no pages. */
function mostBytes(long: readonly Selection[], args: Inputs["args"], entity?: Entity, inPage = false): number {
  return long.reduce((sum, selection) => {
    const { field, connection, list, children, measured } = selection;
    if (measured)
      return sum + Math.min(entity?.tuning?.long?.[field] ?? 0, 4 * Number(argsOf(selection, args).maxLength ?? MANY));
    const times = connection ? sizeOf(argsOf(selection, args)) : list && !inPage ? MAX_PAGE : 1;
    return sum + times * mostBytes(children, args, model.get(selection.type), connection);
  }, 0);
}

const MANY = Number.MAX_SAFE_INTEGER;

/** All numbers in a value. */
const sumOf = (value: unknown): number =>
  typeof value === "number" ? value : Object.values(value ?? {}).reduce((sum: number, each) => sum + sumOf(each), 0);
