import { manySql, rootOneSql } from "../core/plan.ts";
import type { Build, Inputs } from "../core/row.ts";
import type { Scope } from "../core/scope.ts";
import type { Selection } from "../core/selection.ts";
import { notFound } from "../errors.ts";
import { rootMany, rootOne } from "../resources/index.ts";
import type { Collected } from "./collect.ts";
import type { Prepared } from "./document.ts";
import { argumentsOf, compile, statement } from "./plan.ts";
import type { GraphQLRequest } from "./request.ts";
import { shapeOf } from "./shape.ts";

/** What went wrong in one root field: where, and what. */
export class FieldFailure extends Error {
  readonly path: readonly (string | number)[];

  constructor(key: string, cause: unknown) {
    super("a field failed", { cause });
    this.path = [key];
  }
}

/**
 * Answers the root fields of a query with one statement, and so from one snapshot.
 * @returns JSON text by response key @throws FieldFailure for the first root field that fails
 */
export async function runQuery(
  request: GraphQLRequest,
  scope: Scope,
  prepared: Prepared,
  collected: Collected,
): Promise<[string, string][]> {
  const args = argumentsOf(collected.slots, request.variables);
  const inputs: Inputs = { scope, args };
  const planned = collected.roots.filter(({ field }) => field !== "__typename");
  const literal = collected.roots
    .filter(({ field }) => field === "__typename")
    .map(({ key }): [string, string] => [key, '"Query"']);
  if (planned.length === 0) return literal;
  const key = `${planned.map((root) => root.key)} ${shapeOf(args)}`;
  let plan = prepared.plans.get(key);
  if (!plan) {
    plan = compile(inputs, (build) => planned.map((root) => attributed(root, () => rootSql(build, root))));
    prepared.plans.set(key, plan);
  }
  const run = attributed(planned[0], () => statement(plan, inputs));
  const [row] = await scope.db.as("read", () => scope.db.query<Record<string, string | null>>(run, request.deadline));
  const texts = planned.map((root, at): [string, string] => {
    const text = row?.[at];
    if (text === null || text === undefined)
      throw new FieldFailure(root.key, notFound(root.type, String(args[root.slot]?.id)));
    return [root.key, text];
  });
  return [...literal, ...texts];
}

function attributed<T>(root: Selection | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new FieldFailure(root?.key ?? "", error);
  }
}

function rootSql(build: Build, root: Selection): string {
  const many = rootMany[root.field];
  if (many) return manySql(build, null, many, root);
  const one = rootOne[root.field];
  if (one) return rootOneSql(build, one, root);
  throw new Error(`Query.${root.field} is in the schema but no resource declares it`);
}
