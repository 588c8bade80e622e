import type { Statement, Transaction } from "../../../db/open.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { AppError } from "../../errors.ts";
import type { StatementBuild } from "../../read/entity.ts";
import { rootRowSql, rowsByIdsSql } from "../../read/plan.ts";
import { bindGiven, columnSql } from "../../read/row.ts";
import type { Selection } from "../../read/selection.ts";
import { entityModel } from "../../resources/index.ts";
import type { Scope } from "../../scope.ts";
import { isStatementTimeout } from "../../write/group-commit/group-commit.ts";
import type { MutationOutcome } from "../../write/mutate.ts";
import type { MutationResult } from "../../write/write.ts";
import { isResponseTooLongError, type PlanRow, readRootText, responseTooLongError } from "../plan/answer-bound.ts";
import { type CompiledPlan, compilePlan, toPlanStatement } from "../plan/plan.ts";
import { planKey } from "../plan/plan-key.ts";
import type { GraphQLRequest, ReadyOperation } from "../request.ts";
import { addPlanValues } from "./query.ts";

/** Reads the entities of a payload within the transaction that changed the entities. */
export type PayloadReader = (trx: Transaction, result: MutationResult) => Promise<readonly PlanRow[]>;

/** Time limit for reading pages in a payload, in seconds. The organization's other writers wait during the read. */
const READ_SECONDS = 5;

/**
 * Returns the reader of a mutation's payload; undefined if the payload contains no entity. The reader runs before the
 * commit, so that a mutation whose response cannot be read changes nothing.
 * @throws AppError for invalid cursors and filters, before the transaction blocks the organization's other writers
 */
export async function createPayloadReader(
  { deadline }: GraphQLRequest,
  scope: Scope,
  ready: ReadyOperation,
  root: Selection,
): Promise<PayloadReader | undefined> {
  const entities = entitiesOf(root);
  if (entities.length === 0) return undefined;
  const { args } = ready;
  // Computes only values that depend on arguments. Other values come from the mutation's result: a secret, for example,
  // is shown only for the row that the mutation created.
  const ofArguments = getOrCompilePayloadPlan(ready, root).given.filter((name) => name.includes(":"));
  const made: Record<string, unknown> = {};
  await addPlanValues(made, { given: ofArguments }, { scope, args, model: entityModel, deadline });
  const statementFor = (result: MutationResult): Statement =>
    toPlanStatement(getOrCompilePayloadPlan(ready, root), { scope, args, given: { ...made, ...givenOf(result) } });
  const paged = entities.some(hasPages);
  if (paged) statementFor({});
  return (trx, result) => {
    return trx.query<PlanRow>(statementFor(result), paged ? READ_SECONDS * 1_000 : undefined);
  };
}

/** Returns the plan for the entities of a payload, compiled at the first use. */
export function getOrCompilePayloadPlan(
  { operation, args }: Pick<ReadyOperation, "operation" | "args">,
  root: Selection,
): CompiledPlan {
  const key = planKey(operation.fieldArguments, args, new Set(argumentIndexes(root)));
  const name = `${root.key} ${key}`;
  const known = operation.plans.get(name);
  if (known) return known;
  const sql = entitiesOf(root).map((each) => (build: StatementBuild) => entitySql(build, each));
  const fresh = compilePlan(key, sql, { fails: true });
  operation.plans.set(name, fresh);
  return fresh;
}

const entitiesOf = ({ children }: Selection): Selection[] =>
  children.filter(({ type, constant }) => entityModel.has(type) && constant === undefined);

const hasPages = ({ connection, children }: Selection): boolean => connection || children.some(hasPages);

/** Returns the indexes of the arguments on which the payload's statement depends. */
const argumentIndexes = ({ children }: Selection): number[] =>
  children.flatMap((child) => [...(child.argumentIndex < 0 ? [] : [child.argumentIndex]), ...argumentIndexes(child)]);

const givenOf = (result: MutationResult) => ({ id: result.id ?? null, ids: result.ids ?? null, ...result.values });

const entitySql = (build: StatementBuild, selection: Selection): string =>
  selection.list
    ? rowsByIdsSql(build, selection.type, bindGiven(build, "ids", "uuid[]"), selection)
    : rootRowSql(
        build,
        { entity: selection.type, where: (row) => `${columnSql(row, "id")} = ${bindGiven(build, "id", "uuid")}` },
        selection,
      );

/**
 * Returns the error for a payload that could not be read; the mutation then wrote nothing. Returns other errors
 * unchanged.
 */
export function toPayloadError(error: unknown): unknown {
  if (isResponseTooLongError(error)) return responseTooLongError();
  if (!isStatementTimeout(error)) return error;
  return new AppError(
    "timeout",
    `reading the response of the mutation took longer than ${READ_SECONDS} s, so nothing was written; select fewer fields`,
  );
}

/** Returns the JSON text of a payload, including the JSON texts of its entities. */
export function buildPayloadJson(root: Selection, { result, lastSyncId, rows }: MutationOutcome): string {
  const texts = new Map(entitiesOf(root).map(({ key }, at) => [key, readRootText(rows[0], at) ?? "null"]));
  const known: Record<string, unknown> = {
    success: true,
    lastSyncId,
    entityId: result.id,
    ...result.values,
  };
  const members = root.children.map(
    (child) =>
      `"${child.key}":${child.constant ?? texts.get(child.key) ?? selected(child, getOwnProperty(known, child.field))}`,
  );
  return `{${members.join()}}`;
}

/** Returns the JSON text of the selected fields of a value that is not an entity. */
function selected(selection: Selection, value: unknown): string {
  const { children } = selection;
  if (Array.isArray(value)) return `[${value.map((each) => selected(selection, each)).join()}]`;
  if (children.length === 0 || typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = value as Readonly<Record<string, unknown>>;
  return `{${children.map((child) => `"${child.key}":${child.constant ?? selected(child, getOwnProperty(members, child.field))}`).join()}}`;
}
