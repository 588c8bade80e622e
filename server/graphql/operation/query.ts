import { TookTooLong } from "../../../db/errors/unavailable.ts";
import { readOwn } from "../../../formats/own.ts";
import { notFound } from "../../errors.ts";
import type { Build, GivenInputs, Inputs } from "../../read/entity.ts";
import { manySql, rootOneSql } from "../../read/plan.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import { givenValues, model, rootAdmits, rootMany, rootOne, rootValues } from "../../resources/index.ts";
import type { Scope } from "../../scope.ts";
import { type PlanRow, refuseTooLong, textOf } from "../plan/answer-bound.ts";
import { compile, type Plan, RootFailure, statement } from "../plan/plan.ts";
import { planKey } from "../plan/plan-key.ts";
import { FieldError, type GraphQLRequest, type Ready, type Texts } from "../request.ts";
import { awaitRecorded } from "./recorded.ts";

/** A plan of the sizes of long values, or of searches that look at the newest texts alone. */
type Purpose = "" | "sizes" | "newest";

const searchesIn = (roots: readonly Selection[]): number =>
  roots.filter(({ field }) => readOwn(rootValues, field)?.searches).length;

/**
 * Answers the root fields of a query with one statement, and so from one snapshot.
 * @returns JSON text by response key @throws FieldError for the first root field that fails
 */
export async function runQuery(
  request: GraphQLRequest,
  scope: Scope,
  ready: Ready,
  roots: readonly Selection[],
): Promise<Texts> {
  if (roots.length === 0) return new Map();
  const { args } = ready;
  const given: Given = {};
  await awaitRecorded(request, scope, attributed(roots, () => planOf(ready, roots)).reads);
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
    // The hits of the index would take too long to read: only the newest texts are searched.
    if (!(error instanceof TookTooLong) || !limit) throw error;
    return read(roots, "newest");
  });
  const texts: Texts = new Map();
  for (const [at, root] of roots.entries()) {
    const text = textOf(row, at);
    if (text === undefined) throw new FieldError(root.key, await refusalOf(scope, root, args));
    texts.set(root.key, text);
  }
  return texts;
}

/** Milliseconds that the statement of some root fields may take; 0 where searches do without the index. */
async function limitOf(scope: Scope, roots: readonly Selection[], args: Inputs["args"]): Promise<number | undefined> {
  const searches = searchesIn(roots);
  if (searches === 0) return undefined;
  const fields = new Set(roots.filter(({ field }) => readOwn(rootValues, field)?.limit).map(({ field }) => field));
  const limits = [...fields].map(async (field) => {
    const same = roots.filter((root) => root.field === field);
    const asked = same.map((root) => argsOf(root, args));
    return attributed(same, () => readOwn(rootValues, field)?.limit?.(scope, asked, searches)) ?? 0;
  });
  return limits.length > 0 ? Math.max(...(await Promise.all(limits))) : undefined;
}

/** @throws FieldError for arguments that the field does not take, as far as the database has to be asked about them. */
async function admit(scope: Scope, root: Selection, args: Inputs["args"]): Promise<void> {
  const check = readOwn(rootAdmits, root.field);
  if (!check) return;
  try {
    await check(scope, args[root.argumentIndex] ?? {});
  } catch (error) {
    throw new FieldError(root.key, error);
  }
}

/** Values that a request's plans take beside its arguments, by their names. Nobody else may see them. */
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
  ready: Ready,
  { roots, purpose, given, limit }: Reading,
): Promise<PlanRow | undefined> {
  const plan = attributed(roots, () => planOf(ready, roots, purpose));
  const inputs = { scope, args: ready.args, model, deadline: request.deadline };
  await addGiven(given, plan, inputs).catch((error) => {
    throw new FieldError(roots[0]?.key ?? "", error);
  });
  const run = attributed(roots, () => statement(plan, { scope, args: ready.args, given }));
  const [row] = await scope.db.query<PlanRow>(run, request.deadline, {
    queueClass: "read",
    tenant: scope.organizationId,
    limit,
  });
  return row;
}

/** Makes the values that a plan takes and an earlier plan of the request did not. */
export async function addGiven(given: Given, plan: Pick<Plan, "given">, inputs: GivenInputs): Promise<void> {
  for (const name of plan.given) {
    if (Object.hasOwn(given, name)) continue;
    const [value = "", of = ""] = name.split(":");
    given[name] = await readOwn(givenValues, value)?.(inputs, of);
  }
}

/** The plan of root fields, compiled at its first use. */
export function planOf(
  { operation, args }: Pick<Ready, "operation" | "args">,
  roots: readonly Selection[],
  purpose: Purpose = "",
): Plan {
  const key = planKey(operation.fieldArguments, args);
  const known = operation.plans.get(purpose + key);
  if (known) return known;
  const fresh = compile(
    key,
    roots.map((root) => (build: Build) => rootSql(build, root)),
    { searches: searchesIn(roots), ...(purpose === "newest" && { newestAlone: true }) },
  );
  operation.plans.set(purpose + key, fresh);
  return fresh;
}

/** Why a root field has no value. */
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
