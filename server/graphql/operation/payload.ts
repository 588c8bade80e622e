import type { Statement, Transaction } from "../../../db/open.ts";
import { readOwn } from "../../../formats/own.ts";
import { AppError } from "../../errors.ts";
import type { Build } from "../../read/entity.ts";
import { givenRowsSql, rootOneSql } from "../../read/plan.ts";
import { column, given } from "../../read/row.ts";
import type { Selection } from "../../read/selection.ts";
import { model } from "../../resources/index.ts";
import type { Scope } from "../../scope.ts";
import { isTimeout } from "../../write/group-commit/group-commit.ts";
import type { MutationOutcome } from "../../write/mutate.ts";
import type { Result } from "../../write/write.ts";
import { isTooLong, type PlanRow, textOf, tooLong } from "../plan/answer-bound.ts";
import { compile, type Plan, statement } from "../plan/plan.ts";
import { planKey } from "../plan/plan-key.ts";
import type { GraphQLRequest, Ready } from "../request.ts";
import { addGiven } from "./query.ts";

/** Reads the entities of a payload, in the transaction that changed them. */
export type PayloadReader = (trx: Transaction, result: Result) => Promise<readonly PlanRow[]>;

/** The longest that pages in a payload may be read for, while the organization's other writers wait. */
const READ_SECONDS = 5;

/**
 * The reader of a mutation's payload; undefined when that shows no entity. It reads before the commit, so that a
 * mutation whose answer cannot be given has changed nothing.
 * @throws AppError for bad cursors and filters, before the organization's other writers are held back
 */
export async function payloadReader(
  { deadline }: GraphQLRequest,
  scope: Scope,
  ready: Ready,
  root: Selection,
): Promise<PayloadReader | undefined> {
  const entities = entitiesOf(root);
  if (entities.length === 0) return undefined;
  const { args } = ready;
  // Values of arguments alone: a secret is shown of no row but the one that the mutation made.
  const ofArguments = payloadPlan(ready, root).given.filter((name) => name.includes(":"));
  const made: Record<string, unknown> = {};
  await addGiven(made, { given: ofArguments }, { scope, args, model, deadline });
  const statementFor = (result: Result): Statement =>
    statement(payloadPlan(ready, root), { scope, args, given: { ...made, ...givenOf(result) } });
  const paged = entities.some(hasPages);
  if (paged) statementFor({});
  return (trx, result) => {
    return trx.query<PlanRow>(statementFor(result), paged ? READ_SECONDS * 1_000 : undefined);
  };
}

/** The plan of the entities of a payload, compiled at its first use. */
export function payloadPlan({ operation, args }: Pick<Ready, "operation" | "args">, root: Selection): Plan {
  const key = planKey(operation.fieldArguments, args, new Set(argumentIndexes(root)));
  const name = `${root.key} ${key}`;
  const known = operation.plans.get(name);
  if (known) return known;
  const sql = entitiesOf(root).map((each) => (build: Build) => entitySql(build, each));
  const fresh = compile(key, sql, { fails: true });
  operation.plans.set(name, fresh);
  return fresh;
}

const entitiesOf = ({ children }: Selection): Selection[] =>
  children.filter(({ type, constant }) => model.has(type) && constant === undefined);

const hasPages = ({ connection, children }: Selection): boolean => connection || children.some(hasPages);

/** The indexes of the arguments that the payload's statement depends on. */
const argumentIndexes = ({ children }: Selection): number[] =>
  children.flatMap((child) => [...(child.argumentIndex < 0 ? [] : [child.argumentIndex]), ...argumentIndexes(child)]);

const givenOf = (result: Result) => ({ id: result.id ?? null, ids: result.ids ?? null, ...result.values });

const entitySql = (build: Build, selection: Selection): string =>
  selection.list
    ? givenRowsSql(build, selection.type, given(build, "ids", "uuid[]"), selection)
    : rootOneSql(
        build,
        { entity: selection.type, where: (row) => `${column(row, "id")} = ${given(build, "id", "uuid")}` },
        selection,
      );

/** The error of a payload that could not be read, so that nothing was written; any other error unchanged. */
export function payloadError(error: unknown): unknown {
  if (isTooLong(error)) return tooLong();
  if (!isTimeout(error)) return error;
  return new AppError(
    "timeout",
    `what the mutation was to answer took longer than ${READ_SECONDS} s to read, so nothing was written; select less of it`,
  );
}

/** The text of a payload, made of its entities' rows. */
export function payloadText(root: Selection, { result, lastSyncId, rows }: MutationOutcome): string {
  const texts = new Map(entitiesOf(root).map(({ key }, at) => [key, textOf(rows[0], at) ?? "null"]));
  const known: Record<string, unknown> = {
    success: true,
    lastSyncId,
    entityId: result.id,
    ...result.values,
  };
  const members = root.children.map(
    (child) =>
      `"${child.key}":${child.constant ?? texts.get(child.key) ?? selected(child, readOwn(known, child.field))}`,
  );
  return `{${members.join()}}`;
}

/** The JSON text of the selection on a value that is no entity. */
function selected(selection: Selection, value: unknown): string {
  const { children } = selection;
  if (Array.isArray(value)) return `[${value.map((each) => selected(selection, each)).join()}]`;
  if (children.length === 0 || typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = value as Readonly<Record<string, unknown>>;
  return `{${children.map((child) => `"${child.key}":${child.constant ?? selected(child, readOwn(members, child.field))}`).join()}}`;
}
