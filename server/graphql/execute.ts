import { GraphQLError, getVariableValues } from "graphql";
import { Unavailable } from "../../db/errors/unavailable.ts";
import { type Principal, requireScope } from "../auth/principal.ts";
import { forbidden } from "../errors.ts";
import { argsOf, type Selection } from "../read/selection.ts";
import { isSecret } from "../resources/index.ts";
import type { Scope } from "../scope.ts";
import { cheaper, pointsOf } from "./document/complexity.ts";
import { collectedOf, operationOf, prepare } from "./document/document.ts";
import { argumentsOf, checkRefusedArguments } from "./document/field-arguments.ts";
import { tooManyScans } from "./document/scans.ts";
import { formatError } from "./http/format-error.ts";
import { introspect } from "./operation/introspection.ts";
import { needsOwner, runMutation } from "./operation/mutation.ts";
import { runQuery } from "./operation/query.ts";
import { withoutDatabase } from "./operation/rate-limit-status.ts";
import { noteReads } from "./operation/recorded.ts";
import { viewerOfNone } from "./operation/viewer.ts";
import { planKey } from "./plan/plan-key.ts";
import { FieldError, type GraphQLRequest, type GraphQLResponse, type Ready, type Texts } from "./request.ts";
import { countingFrom } from "./scalars.ts";
import { schema, shownSchema } from "./schema.ts";

/**
 * Holds a token of OAuth to what its person allowed the app: with `read` alone it changes nothing. No scope contains what
 * only an owner may do, nor a secret, as the mutation and the field declare it. Other credentials have no scopes.
 * @throws forbidden (403)
 */
function checkScopes(principal: Principal, { node, operation, args }: Ready): void {
  if (!principal.scopes) return;
  if (node.operation === "mutation") {
    requireScope(principal, "write");
    const owners = operation.roots.find((root) => needsOwner(root.field, argsOf(root, args)));
    if (owners) throw keptFromApps(`${owners.field} is for owners of the organization`);
  }
  if (operation.roots.some(selectsSecret)) throw keptFromApps("Secrets are shown to no app");
}

/** An abstract type has its possible types as children, under their names. */
const selectsSecret = ({ type, children, variants }: Selection): boolean =>
  children.some((child) => (!variants && isSecret(type, child.field)) || selectsSecret(child));

const keptFromApps = (what: string) =>
  forbidden(`${what}, and no scope of OAuth contains that: use a personal key, or sign in.`);

/** Arguments that count for nothing, or are in the key of a plan as they are. */
const PLAIN = new Set(["id", "first", "last", "after", "before", "orderBy", "includeArchived", "includeDisabled"]);

/** Points of an operation: remembered with its plan, which has page sizes in its key, unless another argument may count. */
function knownPoints({ node, operation, args }: Ready, selected: readonly Selection[]): number {
  const plan =
    node.operation === "query" && args.every(isPlain)
      ? operation.plans.get(planKey(operation.fieldArguments, args))
      : undefined;
  const points = plan?.points ?? pointsOf(selected, args);
  if (plan) plan.points = points;
  return points;
}

function isPlain(given: Readonly<Record<string, unknown>>): boolean {
  for (const name in given) if (!PLAIN.has(name)) return false;
  return true;
}

/**
 * Parses, checks, charges and runs a request. Answers the errors of the document and of fields.
 * @throws AppError rateLimited and forbidden (a scope is missing), and Unavailable: they have a status of their own.
 */
export async function execute(request: GraphQLRequest): Promise<GraphQLResponse> {
  const { log } = request.runtime;
  const ready = countingFrom(request.at, () => makeReady(request));
  if (!("operation" in ready)) return { errors: ready.map((error) => formatError(error, log, request.requestId)) };
  checkScopes(request.principal, ready);
  const { operation, args } = ready;
  const selected =
    operation.introspection.length > 0 ? [...operation.roots, ...operation.introspection] : operation.roots;
  const refused = tooManyScans(selected, args);
  if (refused) return { errors: [formatError(refused, log, request.requestId)] };
  await request.meter.charge(knownPoints(ready, selected), (most) => cheaper(selected, args, most));
  return run(request, ready);
}

/** Parses, validates, coerces and collects; or returns the errors. */
function makeReady(request: GraphQLRequest): Ready | readonly GraphQLError[] {
  try {
    const prepared = prepare(request.query);
    if (!("document" in prepared)) return prepared;
    const node = operationOf(prepared, request.operationName);
    if (!node) return [new GraphQLError(unnamed(request.operationName))];
    if (node.operation === "subscription") return [new GraphQLError(NO_SUBSCRIPTIONS, { nodes: node })];
    const definitions = node.variableDefinitions ?? [];
    const { coerced, errors } = getVariableValues(schema, definitions, request.variables, { maxErrors: 5 });
    if (!coerced) return errors;
    const operation = collectedOf(prepared, node, coerced);
    return { node, operation, variables: coerced, args: argumentsOf(operation.fieldArguments, coerced) };
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

const NO_SUBSCRIPTIONS =
  "there are no subscriptions here; follow changes over the realtime channel (docs/realtime.md) or the root field changes";

const unnamed = (name: string | undefined) =>
  name === undefined
    ? "the document has several operations, or none; name the one to run in operationName"
    : `the document has no operation named ${name}`;

async function run(request: GraphQLRequest, ready: Ready): Promise<GraphQLResponse> {
  try {
    checkRefusedArguments(ready);
    const texts = await textsOf(request, ready);
    const members = ready.operation.keys.map((key) => `"${key}":${texts.get(key)}`);
    return { data: `{${members.join()}}`, behind: request.isBehind };
  } catch (thrown) {
    const [error, path] = thrown instanceof FieldError ? [thrown.cause, thrown.path] : [thrown];
    if (error instanceof Unavailable) throw error;
    return { data: "null", errors: [formatError(error, request.runtime.log, request.requestId, path)] };
  }
}

async function textsOf(request: GraphQLRequest, ready: Ready): Promise<Texts> {
  const { operation, node } = ready;
  const known = operation.roots.flatMap((root) => {
    const text = root.constant ?? withoutDatabase(request, root);
    return text === undefined ? [] : [[root.key, text] as const];
  });
  const texts: Texts = new Map([...known, ...(await introspected(request, ready))]);
  const roots = texts.size > 0 ? operation.roots.filter(({ key }) => !texts.has(key)) : operation.roots;
  const found = roots.length === 0 ? [] : await textsOfRoots(request, ready, roots, node.operation === "mutation");
  return new Map([...texts, ...found]);
}

const introspected = (request: GraphQLRequest, ready: Ready): Promise<Texts> | Texts =>
  ready.operation.introspection.length === 0 ? new Map() : introspect(ready, shownSchema(request.shown));

async function textsOfRoots(
  request: GraphQLRequest,
  ready: Ready,
  roots: readonly Selection[],
  changes: boolean,
): Promise<Texts> {
  const scope = scopeOf(request);
  if (!scope && roots.every(({ field }) => field === "viewer")) return viewerOfNone(request, roots);
  if (!scope) throw noOrganization();
  const texts = await (changes ? runMutation : runQuery)(request, scope, ready, roots);
  noteReads(request, ready, roots);
  return texts;
}

/** On whose behalf the request reads and writes; undefined for a token without an organization. */
function scopeOf({ principal, runtime, at, address }: GraphQLRequest): Scope | undefined {
  const { organizationId, userId, role } = principal;
  if (!organizationId || !userId || !role) return undefined;
  const { db, publicUrl, secret, config } = runtime;
  const retentionDays = config.EVENT_RETENTION_DAYS;
  const signedIn = principal.kind === "token";
  const countedFrom = config.LOGIN_THROTTLE === "on" ? address : undefined;
  return { db, organizationId, userId, role, publicUrl, secret, at, retentionDays, signedIn, countedFrom };
}

const noOrganization = () =>
  forbidden("the token carries no organization; create one with POST /api/organization, and use the token it answers");
