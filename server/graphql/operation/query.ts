import { StatementTimeout } from "../../../db/errors/unavailable.ts";
import { readOwn } from "../../../formats/own.ts";
import { notFound } from "../../errors.ts";
import type { Build, GivenInputs, Inputs } from "../../read/entity.ts";
import { manySql, rootOneSql } from "../../read/plan.ts";
import { type Selection, selectedArguments } from "../../read/selection.ts";
import { givenValues, model, rootAdmits, rootMany, rootOne, rootValues } from "../../resources/index.ts";
import type { Scope } from "../../scope.ts";
import { type PlanRow, readRootText, refuseTooLong } from "../plan/answer-bound.ts";
import { compilePlan, type Plan, RootFailure, toPlanStatement } from "../plan/plan.ts";
import { planKey } from "../plan/plan-key.ts";
import { FieldError, type GraphQLRequest, type ReadyOperation, type RootTexts } from "../request.ts";
import { awaitRecorded } from "./recorded.ts";

/** Variants of a plan: the values, the sizes of long values, or searches limited to the newest texts. */
type Purpose = "" | "sizes" | "newest";

const searchesIn = (roots: readonly Selection[]): number =>
  roots.filter(({ field }) => readOwn(rootValues, field)?.searches).length;

/**
 * Reads the root fields of a query with one statement, and therefore from one snapshot.
 * @returns JSON text by response key @throws FieldError for the first root field that fails
 */
export async function runQuery(
  request: GraphQLRequest,
  scope: Scope,
  ready: ReadyOperation,
  roots: readonly Selection[],
): Promise<RootTexts> {
  if (roots.length === 0) return new Map();
  const { args } = ready;
  const given: Given = {};
  await awaitRecorded(request, scope, attributed(roots, () => findPlan(ready, roots)).reads);
  const limit = await limitOf(scope, roots, args);
  const read = (selected: readonly Selection[], purpose: Purpose = "") =>
    rowOf(request, scope, ready, {
      roots: selected,
      purpose,
      given,
      limit: purpose === "" ? limit : undefined,
    });
  for (const root of roots) await admit(scope, root, args);
  await refuseTooLong(roots, args, (long) => read(long, "sizes"));
  const row = await read(roots, limit === 0 ? "newest" : "").catch((error) => {
    // Reading all hits of the index would take too long, so the query searches only the newest texts.
    if (!(error instanceof StatementTimeout) || !limit) throw error;
    return read(roots, "newest");
  });
  const texts: RootTexts = new Map();
  for (const [at, root] of roots.entries()) {
    const text = readRootText(row, at);
    if (text === undefined) throw new FieldError(root.key, await refusalOf(scope, root, args));
    texts.set(root.key, text);
  }
  return texts;
}

/**
 * Returns the time limit in milliseconds of the statement for some root fields; 0 for searches that do not use the
 * index.
 */
async function limitOf(scope: Scope, roots: readonly Selection[], args: Inputs["args"]): Promise<number | undefined> {
  const searches = searchesIn(roots);
  if (searches === 0) return undefined;
  const fields = new Set(roots.filter(({ field }) => readOwn(rootValues, field)?.limit).map(({ field }) => field));
  const limits = [...fields].map(async (field) => {
    const same = roots.filter((root) => root.field === field);
    const asked = same.map((root) => selectedArguments(root, args));
    return attributed(same, () => readOwn(rootValues, field)?.limit?.(scope, asked, searches)) ?? 0;
  });
  return limits.length > 0 ? Math.max(...(await Promise.all(limits))) : undefined;
}

/** @throws FieldError for arguments that the field rejects after a check in the database. */
async function admit(scope: Scope, root: Selection, args: Inputs["args"]): Promise<void> {
  const check = readOwn(rootAdmits, root.field);
  if (!check) return;
  try {
    await check(scope, args[root.argumentIndex] ?? {});
  } catch (error) {
    throw new FieldError(root.key, error);
  }
}

/**
 * Values for the plans of one request, in addition to its arguments, by name. Other requests must not see the values.
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
  const plan = attributed(roots, () => findPlan(ready, roots, purpose));
  const inputs = { scope, args: ready.args, model, deadline: request.deadline };
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

/** Computes the values that a plan needs and that no earlier plan of the request has computed. */
export async function addPlanValues(given: Given, plan: Pick<Plan, "given">, inputs: GivenInputs): Promise<void> {
  for (const name of plan.given) {
    if (Object.hasOwn(given, name)) continue;
    const [value = "", of = ""] = name.split(":");
    given[name] = await readOwn(givenValues, value)?.(inputs, of);
  }
}

/** Returns the plan of root fields, compiled at the first use. */
export function findPlan(
  { operation, args }: Pick<ReadyOperation, "operation" | "args">,
  roots: readonly Selection[],
  purpose: Purpose = "",
): Plan {
  const key = planKey(operation.fieldArguments, args);
  const known = operation.plans.get(purpose + key);
  if (known) return known;
  const fresh = compilePlan(
    key,
    roots.map((root) => (build: Build) => rootSql(build, root)),
    { searches: searchesIn(roots), ...(purpose === "newest" && { newestAlone: true }) },
  );
  operation.plans.set(purpose + key, fresh);
  return fresh;
}

/** Returns the reason why a root field has no value. */
async function refusalOf(scope: Scope, root: Selection, args: Inputs["args"]): Promise<Error> {
  const given = args[root.argumentIndex] ?? {};
  return (await readOwn(rootValues, root.field)?.refusal?.(scope, given)) ?? notFound(root.type, String(given.id));
}

function attributed<T>(roots: readonly Selection[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RootFailure)) throw error;
    throw new FieldError(roots[error.root]?.key ?? "", error.cause);
  }
}

function rootSql(build: Build, root: Selection): string {
  const many = readOwn(rootMany, root.field);
  if (many) return manySql(build, null, many, root);
  const one = readOwn(rootOne, root.field);
  if (one) return rootOneSql(build, one, root);
  const value = readOwn(rootValues, root.field);
  if (value) return value.sql(build, root);
  throw new Error(`Query.${root.field} is in the schema but no resource declares it`);
}
