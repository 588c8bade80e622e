import { getOwnProperty } from "../../../formats/own.ts";
import { isUuid } from "../../../formats/uuid.ts";
import { inputError, invalidFieldsError } from "../../errors.ts";
import type { Selection } from "../../read/selection.ts";
import { entityModel, entityOfMutation, mutations } from "../../resources/index.ts";
import type { Mutation } from "../../resources/resource.ts";
import type { Scope } from "../../scope.ts";
import { hashIdempotencyKey, type IdempotentRequest } from "../../write/idempotency.ts";
import type { EntityReference, RowIdOrName } from "../../write/load.ts";
import { runMutationTransaction } from "../../write/mutate.ts";
import { RootFieldError } from "../plan/plan.ts";
import { FieldError, type GraphQLRequest, type ReadyOperation, type RootFieldJsonByKey } from "../request.ts";
import { buildPayloadJson, createPayloadReader, toPayloadError } from "./payload.ts";
import { awaitFoldedRecordings } from "./recorded.ts";
import { containsSecret, redactInput } from "./redacted-input.ts";

type Args = Readonly<Record<string, unknown>>;

/**
 * Runs the root fields of a mutation one after another, each in its own transaction.
 * @returns JSON text by response key @throws FieldError for the first root field that fails; earlier root fields stay
 * committed
 */
export async function runMutation(
  request: GraphQLRequest,
  scope: Scope,
  ready: ReadyOperation,
  roots: readonly Selection[],
): Promise<RootFieldJsonByKey> {
  const texts: RootFieldJsonByKey = new Map();
  for (const root of roots) {
    try {
      request.deadline.throwIfAborted();
      texts.set(root.key, await runRoot(request, scope, ready, root));
    } catch (error) {
      throw new FieldError(root.key, error instanceof RootFieldError ? error.cause : error);
    }
  }
  return texts;
}

async function runRoot(request: GraphQLRequest, scope: Scope, ready: ReadyOperation, root: Selection): Promise<string> {
  const mutation = getOwnProperty(mutations, root.field);
  if (!mutation) throw new Error(`Mutation.${root.field} is in the schema but no resource declares it`);
  const given = ready.args[root.argumentIndex] ?? {};
  const checked = await redactInput(check(mutation.input, given), scope, request);
  await awaitFoldedRecordings(request, scope, readsOf(mutation, checked));
  const read = await createPayloadReader(request, scope, ready, root);
  const needs = needsOf(mutation, checked);
  const idempotency = await idempotentRequest(request, scope, root, given);
  const options = { needs, idempotency, onReplay: mutation.onReplay, read, wanted: subjectsOf(root.field, checked) };
  const outcome = await runMutationTransaction(
    scope,
    entityModel,
    (write) => mutation.run(write, checked),
    options,
  ).catch((error) => {
    throw toPayloadError(error);
  });
  await request.meter.chargeDone(outcome.deliveries * DELIVERY_POINTS);
  const result = (await mutation.finish?.(scope, entityModel, outcome.result)) ?? outcome.result;
  return buildPayloadJson(root, { ...outcome, result });
}

/**
 * Points for each webhook delivery that a mutation creates, because a delivery is a row that the server sends up to ten
 * times.
 */
const DELIVERY_POINTS = 10;

const readsOf = ({ reads = [] }: Mutation, args: Args) => (typeof reads === "function" ? reads(args) : reads);
const needsOf = ({ needs }: Mutation, args: Args) => (typeof needs === "function" ? needs(args) : needs);

/** Returns true if a mutation with these arguments needs an owner. */
export function needsOwner(field: string, args: Args): boolean {
  const mutation = getOwnProperty(mutations, field);
  return mutation !== undefined && needsOf(mutation, args) === "owner";
}

const MAX_KEY = 255;

/**
 * Returns the idempotency key of a root field. The request's header applies to each root field, and the response key
 * distinguishes the root fields. A key that contains a secret is stored as a digest.
 */
async function idempotentRequest(
  request: GraphQLRequest,
  scope: Scope,
  root: Selection,
  input: Args,
): Promise<IdempotentRequest | undefined> {
  const { idempotencyKey: sent } = request;
  if (sent === undefined) return undefined;
  if (sent.length > MAX_KEY)
    throw inputError(`Idempotency-Key must be at most ${MAX_KEY} characters`, "Idempotency-Key");
  const key = (await containsSecret(sent, scope, request)) ? hashIdempotencyKey(scope, sent) : sent;
  return { key, sent, field: root.key, input: [root.field, input] };
}

/** @throws invalidFieldsError with every invalid field. */
function check(schema: (typeof mutations)[string]["input"], args: Args): Args {
  if (!schema) return args;
  const result = schema.safeParse(args.input);
  if (result.success) return { ...args, input: result.data };
  throw invalidFieldsError(
    result.error.issues.map(({ path, message }) => ({ path: ["input", ...path].join("."), message })),
  );
}

/**
 * Returns references to the rows of large tables that a mutation will load: the row that `id` names, and the rows that
 * the links in the input name.
 */
function subjectsOf(field: string, { id, input }: Readonly<Record<string, unknown>>): EntityReference[] {
  const entity = entityModel.get(entityOfMutation.get(field) ?? "");
  const given = (name: string): unknown => input && Reflect.get(Object(input), name);
  const links = Object.values(entity?.one ?? {}).flatMap(({ entity: to, by }) =>
    by ? [[to, given(by)] as const] : [],
  );
  const named = [[entity?.name ?? "", id] as const, ["Issue", given("issueId")] as const, ...links];
  return named.filter((each): each is [string, RowIdOrName & string] => isKnown(...each));
}

function isKnown(name: string, id: unknown): boolean {
  const { event, tuning } = entityModel.get(name) ?? {};
  return event !== undefined && tuning?.few !== "cached" && typeof id === "string" && isUuid(id);
}
