import { StatementTimeoutError } from "../../../db/errors/unavailable.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { notFound } from "../../errors.ts";
import type { GivenValueInputs, StatementBuild, StatementInputs } from "../../read/entity.ts";
import { rootRowSql, toManyLinkSql } from "../../read/plan.ts";
import { type Selection, selectedArguments } from "../../read/selection.ts";
import {
  entityModel,
  QUERY_VALUE_RESOLVERS,
  rootArgumentChecks,
  rootToManyLinks,
  rootToOneLinks,
  rootValues,
} from "../../resources/index.ts";
import type { Scope } from "../../scope.ts";
import { type PlanRow, readRootText, rejectTooLongResponse } from "../plan/answer-bound.ts";
import { type CompiledPlan, compilePlan, RootFieldError, toPlanStatement } from "../plan/plan.ts";
import { planKey } from "../plan/plan-key.ts";
import { FieldError, type GraphQLRequest, type ReadyOperation, type RootFieldJsonByKey } from "../request.ts";
import { awaitFoldedRecordings } from "./recorded.ts";

/**
 * Variant of a plan. "" reads the values, `sizes` reads only the sizes of long values, and `newest` limits searches to
 * the newest texts.
 */
type Purpose = "" | "sizes" | "newest";

const searchesIn = (roots: readonly Selection[]): number =>
  roots.filter(({ field }) => getOwnProperty(rootValues, field)?.searches).length;

/**
 * Reads the given root fields of a query with one statement, and therefore from one snapshot.
 * @returns JSON text by response key @throws FieldError for the first root field that fails
 */
export async function runQuery(
  request: GraphQLRequest,
  scope: Scope,
  ready: ReadyOperation,
  roots: readonly Selection[],
): Promise<RootFieldJsonByKey> {
  if (roots.length === 0) return new Map();
  const { args } = ready;
  const given: Given = {};
  await awaitFoldedRecordings(request, scope, attributed(roots, () => getOrCompilePlan(ready, roots)).reads);
  const limit = await limitOf(scope, roots, args);
  const read = (selected: readonly Selection[], purpose: Purpose = "") =>
    rowOf(request, scope, ready, {
      roots: selected,
      purpose,
      given,
      limit: purpose === "" ? limit : undefined,
    });
  for (const root of roots) await admit(scope, root, args);
  await rejectTooLongResponse(roots, args, (long) => read(long, "sizes"));
  const row = await read(roots, limit === 0 ? "newest" : "").catch((error) => {
    // The statement reached the search limit, because reading all hits of the index takes too long. The query therefore
    // searches only the newest texts.
    if (!(error instanceof StatementTimeoutError) || !limit) throw error;
    return read(roots, "newest");
  });
  const texts: RootFieldJsonByKey = new Map();
  for (const [at, root] of roots.entries()) {
    const text = readRootText(row, at);
    if (text === undefined) throw new FieldError(root.key, await refusalOf(scope, root, args));
    texts.set(root.key, text);
  }
  return texts;
}

/**
 * Returns the time limit of the query's statement in milliseconds; 0 for searches that do not use the index; undefined
 * for queries without a limit.
 */
async function limitOf(
  scope: Scope,
  roots: readonly Selection[],
  args: StatementInputs["args"],
): Promise<number | undefined> {
  const searches = searchesIn(roots);
  if (searches === 0) return undefined;
  const fields = new Set(
    roots.filter(({ field }) => getOwnProperty(rootValues, field)?.limit).map(({ field }) => field),
  );
  const limits = [...fields].map(async (field) => {
    const same = roots.filter((root) => root.field === field);
    const asked = same.map((root) => selectedArguments(root, args));
    return attributed(same, () => getOwnProperty(rootValues, field)?.limit?.(scope, asked, searches)) ?? 0;
  });
  return limits.length > 0 ? Math.max(...(await Promise.all(limits))) : undefined;
}

/**
 * Checks the arguments of a root field in the database.
 * @throws FieldError for arguments that the field rejects
 */
async function admit(scope: Scope, root: Selection, args: StatementInputs["args"]): Promise<void> {
  const check = getOwnProperty(rootArgumentChecks, root.field);
  if (!check) return;
  try {
    await check(scope, args[root.argumentIndex] ?? {});
  } catch (error) {
    throw new FieldError(root.key, error);
  }
}

/**
 * Values that the plans of one request need in addition to the arguments, by name. Other requests must not see the
 * values.
 */
type Given = Record<string, unknown>;

interface Reading {
  roots: readonly Selection[];
  purpose: Purpose;
  given: Given;
  limit: number | undefined;
}

async function rowOf(
  request: GraphQLRequest,
  scope: Scope,
  ready: ReadyOperation,
  { roots, purpose, given, limit }: Reading,
): Promise<PlanRow | undefined> {
  const plan = attributed(roots, () => getOrCompilePlan(ready, roots, purpose));
  const inputs = { scope, args: ready.args, model: entityModel, deadline: request.deadline };
  await addPlanValues(given, plan, inputs).catch((error) => {
    throw new FieldError(roots[0]?.key ?? "", error);
  });
  const run = attributed(roots, () => toPlanStatement(plan, { scope, args: ready.args, given }));
  const [row] = await scope.db.query<PlanRow>(run, request.deadline, {
    queueClass: "read",
    tenant: scope.organizationId,
    limit,
  });
  return row;
}

/** Computes the values that a plan needs, except values that an earlier plan of the request has already computed. */
export async function addPlanValues(
  given: Given,
  plan: Pick<CompiledPlan, "given">,
  inputs: GivenValueInputs,
): Promise<void> {
  for (const name of plan.given) {
    if (Object.hasOwn(given, name)) continue;
    const [value = "", of = ""] = name.split(":");
    given[name] = await getOwnProperty(QUERY_VALUE_RESOLVERS, value)?.(inputs, of);
  }
}

/** Returns the plan of root fields, compiled at the first use. */
export function getOrCompilePlan(
  { operation, args }: Pick<ReadyOperation, "operation" | "args">,
  roots: readonly Selection[],
  purpose: Purpose = "",
): CompiledPlan {
  const key = planKey(operation.fieldArguments, args);
  const known = operation.plans.get(purpose + key);
  if (known) return known;
  const fresh = compilePlan(
    key,
    roots.map((root) => (build: StatementBuild) => rootSql(build, root)),
    { searches: searchesIn(roots), ...(purpose === "newest" && { newestAlone: true }) },
  );
  operation.plans.set(purpose + key, fresh);
  return fresh;
}

/** Returns the reason why a root field has no value. */
async function refusalOf(scope: Scope, root: Selection, args: StatementInputs["args"]): Promise<Error> {
  const given = args[root.argumentIndex] ?? {};
  return (
    (await getOwnProperty(rootValues, root.field)?.refusal?.(scope, given)) ?? notFound(root.type, String(given.id))
  );
}

function attributed<T>(roots: readonly Selection[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RootFieldError)) throw error;
    throw new FieldError(roots[error.root]?.key ?? "", error.cause);
  }
}

function rootSql(build: StatementBuild, root: Selection): string {
  const many = getOwnProperty(rootToManyLinks, root.field);
  if (many) return toManyLinkSql(build, null, many, root);
  const one = getOwnProperty(rootToOneLinks, root.field);
  if (one) return rootRowSql(build, one, root);
  const value = getOwnProperty(rootValues, root.field);
  if (value) return value.sql(build, root);
  throw new Error(`Query.${root.field} is in the schema but no resource declares it`);
}
