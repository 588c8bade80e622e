import { inputError, invalidInput } from "../errors.ts";
import { givenRowsSql, rootOneSql } from "../read/plan.ts";
import { type Build, column, given, type Inputs } from "../read/row.ts";
import type { Selection } from "../read/selection.ts";
import { model, mutations } from "../resources/index.ts";
import type { Scope } from "../scope.ts";
import type { Once } from "../write/idempotency.ts";
import { mutate, type Outcome } from "../write/mutate.ts";
import type { Result } from "../write/result.ts";
import { FieldFailure } from "./field-failure.ts";
import { compile, RootFailure, statement, textOf } from "./plan.ts";
import type { GraphQLRequest, Ready, Texts } from "./request.ts";
import { shapeOf } from "./shape.ts";

type Args = Readonly<Record<string, unknown>>;

/**
 * Runs the root fields of a mutation one after another, each its own transaction.
 * @returns JSON text by response key @throws FieldFailure for the first that fails; those before it stay done
 */
export async function runMutation(
  request: GraphQLRequest,
  scope: Scope,
  ready: Ready,
  roots: readonly Selection[],
): Promise<Texts> {
  const texts: Texts = new Map();
  for (const root of roots) {
    try {
      request.deadline.throwIfAborted();
      texts.set(root.key, await runRoot(request, scope, ready, root));
    } catch (error) {
      throw new FieldFailure(root.key, error instanceof RootFailure ? error.cause : error);
    }
  }
  return texts;
}

async function runRoot(
  request: GraphQLRequest,
  scope: Scope,
  { operation, args }: Ready,
  root: Selection,
): Promise<string> {
  const mutation = mutations[root.field];
  if (!mutation) throw new Error(`Mutation.${root.field} is in the schema but no resource declares it`);
  const checked = check(mutation.input, args[root.slot] ?? {});
  const entities = root.children.filter(({ type, constant }) => model.has(type) && constant === undefined);
  const read = (result: Result) => {
    const inputs: Inputs = { scope, args, given: givenOf(result) };
    const key = `${root.key} ${shapeOf(slotsBelow(root).map((slot) => args[slot] ?? {}))}`;
    const entitiesSql = () => entities.map((each) => (build: Build) => entitySql(build, each));
    const plan = operation.plans.get(key) ?? compile(inputs, entitiesSql());
    operation.plans.set(key, plan);
    return statement(plan, inputs);
  };
  // Pages are read after the commit: they may take long, and nobody else writes meanwhile.
  const within = entities.length > 0 && !entities.some(hasPages);
  // What cannot be read must fail before anything is written.
  if (!within) read({});
  const once = onceOf(request, root, args[root.slot] ?? {});
  const options = { once, again: mutation.again, read: within ? read : undefined };
  const outcome = await mutate(scope, model, (write) => mutation.run(write, checked), options);
  const later = entities.length > 0 && !within;
  const rows = later
    ? await scope.db.query<Record<string, string | null>>(read(outcome.result), request.deadline)
    : outcome.rows;
  const texts = new Map(entities.map((each, at) => [each.key, textOf(rows[0], at) ?? "null"]));
  return payload(root, outcome, texts);
}

const hasPages = ({ connection, children }: Selection): boolean => connection || children.some(hasPages);

/** Where the arguments stand that the payload's statement depends on. */
const slotsBelow = ({ children }: Selection): number[] =>
  children.flatMap((child) => [...(child.slot < 0 ? [] : [child.slot]), ...slotsBelow(child)]);

const MAX_KEY = 255;

/** The idempotency key of a mutation: one of the request's goes for each of its root fields (decisions §3). */
function onceOf({ idempotencyKey: key }: GraphQLRequest, root: Selection, input: Args): Once | undefined {
  if (key === undefined) return undefined;
  if (key.length > MAX_KEY)
    throw inputError(`Idempotency-Key must be at most ${MAX_KEY} characters`, "Idempotency-Key");
  return { key, field: root.key, input: [root.field, input] };
}

const givenOf = (result: Result) => ({ id: result.id ?? null, ids: result.ids ?? null, ...result.values });

/** @throws invalidInput with every field at fault. */
function check(schema: (typeof mutations)[string]["input"], args: Args): Args {
  if (!schema) return args;
  const result = schema.safeParse(args.input);
  if (result.success) return { ...args, input: result.data };
  throw invalidInput(result.error.issues.map(({ path, message }) => ({ path: ["input", ...path].join("."), message })));
}

/** Text of a payload from the texts of its entities. */
function payload(root: Selection, { result, lastSyncId }: Outcome, texts: ReadonlyMap<string, string>): string {
  const known: Record<string, unknown> = {
    success: true,
    lastSyncId,
    entityId: result.id,
    ...result.values,
  };
  const members = root.children.map(
    ({ key, field, constant }) => `"${key}":${constant ?? texts.get(key) ?? JSON.stringify(known[field] ?? null)}`,
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
