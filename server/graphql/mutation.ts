import { mutate } from "../core/mutate.ts";
import { givenRowsSql, rootOneSql } from "../core/plan.ts";
import type { Result } from "../core/resource.ts";
import { type Build, column, given, type Inputs } from "../core/row.ts";
import type { Scope } from "../core/scope.ts";
import type { Selection } from "../core/selection.ts";
import { invalidInput } from "../errors.ts";
import { model, mutations } from "../resources/index.ts";
import type { Collected } from "./collect.ts";
import type { Prepared } from "./document.ts";
import { argumentsOf, compile, statement } from "./plan.ts";
import { FieldFailure } from "./query.ts";
import type { GraphQLRequest } from "./request.ts";
import { shapeOf } from "./shape.ts";

type Args = Readonly<Record<string, unknown>>;

/**
 * Runs the root fields of a mutation one after another, each its own transaction.
 * @returns JSON text by response key @throws FieldFailure for the first that fails; those before it stay done
 */
export async function runMutation(
  request: GraphQLRequest,
  scope: Scope,
  prepared: Prepared,
  collected: Collected,
): Promise<[string, string][]> {
  const args = argumentsOf(collected.slots, request.variables);
  const texts: [string, string][] = [];
  for (const root of collected.roots) {
    try {
      texts.push([
        root.key,
        root.field === "__typename" ? '"Mutation"' : await runRoot(request, scope, prepared, root, args),
      ]);
    } catch (error) {
      throw new FieldFailure(root.key, error);
    }
  }
  return texts;
}

async function runRoot(
  request: GraphQLRequest,
  scope: Scope,
  prepared: Prepared,
  root: Selection,
  args: readonly Args[],
): Promise<string> {
  const mutation = mutations[root.field];
  if (!mutation) throw new Error(`Mutation.${root.field} is in the schema but no resource declares it`);
  const checked = check(mutation.input, args[root.slot] ?? {});
  const { value, lastSyncId } = await mutate(scope, model, async (write) => mutation.run(write, checked));
  return payload(request, { scope, args, given: givenOf(value) }, prepared, root, { value, lastSyncId });
}

const givenOf = (result: Result) => ({ id: result.id ?? null, ids: result.ids ?? null, ...result.values });

/** @throws invalidInput with every field at fault. */
function check(schema: (typeof mutations)[string]["input"], args: Args): Args {
  if (!schema) return args;
  const result = schema.safeParse(args.input);
  if (result.success) return { ...args, input: result.data };
  throw invalidInput(result.error.issues.map(({ path, message }) => ({ path: ["input", ...path].join("."), message })));
}

/** Text of a payload. Its entities are read after the commit, outside the transaction. */
async function payload(
  request: GraphQLRequest,
  inputs: Inputs,
  prepared: Prepared,
  root: Selection,
  { value, lastSyncId }: { value: Result; lastSyncId: number },
): Promise<string> {
  const entities = root.children.filter(({ type }) => model.has(type));
  const texts = new Map<string, string>();
  if (entities.length > 0) {
    const key = `${root.key} ${shapeOf(inputs.args)}`;
    const plan = prepared.plans.get(key) ?? compile(inputs, (build) => entities.map((each) => entitySql(build, each)));
    prepared.plans.set(key, plan);
    const [row] = await inputs.scope.db.query<Record<string, string | null>>(statement(plan, inputs), request.deadline);
    for (const [at, each] of entities.entries()) texts.set(each.key, row?.[at] ?? "null");
  }
  const known: Record<string, unknown> = {
    success: true,
    lastSyncId,
    entityId: value.id,
    __typename: root.type,
    ...value.values,
  };
  const members = root.children.map(
    ({ key, field }) => `"${key}":${texts.get(key) ?? JSON.stringify(known[field] ?? null)}`,
  );
  return `{${members.join()}}`;
}

const entitySql = (build: Build, selection: Selection): string =>
  selection.list
    ? givenRowsSql(build, selection.type, given(build, "ids", "uuid[]"), selection)
    : rootOneSql(
        build,
        { entity: selection.type, where: (row) => `${column(row, "id")} = ${given(build, "id", "uuid")}` },
        selection,
      );
