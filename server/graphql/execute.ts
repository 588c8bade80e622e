import { GraphQLError, getVariableValues } from "graphql";
import { UnavailableError } from "../../db/errors/unavailable.ts";
import { type Principal, requireScope } from "../auth/principal.ts";
import { forbidden } from "../errors.ts";
import { type Selection, selectedArguments } from "../read/selection.ts";
import { isSecret } from "../resources/index.ts";
import type { Scope } from "../scope.ts";
import { countPoints, suggestCheaper } from "./document/complexity.ts";
import { collectFieldsCached, prepareDocument, selectOperation } from "./document/document.ts";
import { coerceArguments, rejectUnsupportedArguments } from "./document/field-arguments.ts";
import { findLongTextScanError } from "./document/scans.ts";
import { formatError } from "./http/format-error.ts";
import { introspect } from "./operation/introspection.ts";
import { needsOwner, runMutation } from "./operation/mutation.ts";
import { runQuery } from "./operation/query.ts";
import { resolveWithoutDatabase } from "./operation/rate-limit-status.ts";
import { auditRecordedReads } from "./operation/recorded.ts";
import { readAccountViewer } from "./operation/viewer.ts";
import { planKey } from "./plan/plan-key.ts";
import {
  FieldError,
  type GraphQLRequest,
  type GraphQLResponse,
  type ReadyOperation,
  type RootFieldJsonByKey,
} from "./request.ts";
import { withDurationsFrom } from "./scalars.ts";
import { combinedSchema, getIntrospectionSchema } from "./schema.ts";

/**
 * Checks that an OAuth token stays within the scopes that its user allowed: with `read` alone, the app changes
 * nothing. No scope allows mutations that need an owner, or fields that are declared as secret. Other credentials
 * have no scopes.
 * @throws forbidden (403)
 */
function checkScopes(principal: Principal, { node, operation, args }: ReadyOperation): void {
  if (!principal.scopes) return;
  if (node.operation === "mutation") {
    requireScope(principal, "write");
    const owners = operation.roots.find((root) => needsOwner(root.field, selectedArguments(root, args)));
    if (owners) throw keptFromApps(`${owners.field} is for owners of the organization`);
  }
  if (operation.roots.some(selectsSecret)) throw keptFromApps("Apps cannot read secrets");
}

/**
 * Returns true if a selection contains a secret field. The children of a selection of an abstract type are not fields
 * but the possible types of the abstract type, under the names of the types.
 */
const selectsSecret = ({ type, children, variants }: Selection): boolean =>
  children.some((child) => (!variants && isSecret(type, child.field)) || selectsSecret(child));

const keptFromApps = (what: string) =>
  forbidden(`${what}, and no OAuth scope allows this: use a personal key, or sign in.`);

/** Arguments that do not affect the points, or that the plan key contains unchanged. */
const PLAIN = new Set(["id", "first", "last", "after", "before", "orderBy", "includeArchived", "includeDisabled"]);

/**
 * Returns the points of an operation. The plan stores the points, because page sizes are part of the plan key.
 * Arguments outside PLAIN may affect the points, so the points of operations with such arguments are counted at each
 * request.
 */
function knownPoints({ node, operation, args }: ReadyOperation, selected: readonly Selection[]): number {
  const plan =
    node.operation === "query" && args.every(isPlain)
      ? operation.plans.get(planKey(operation.fieldArguments, args))
      : undefined;
  const points = plan?.points ?? countPoints(selected, args);
  if (plan) plan.points = points;
  return points;
}

function isPlain(given: Readonly<Record<string, unknown>>): boolean {
  for (const name in given) if (!PLAIN.has(name)) return false;
  return true;
}

/**
 * Parses, checks, charges and runs a request. Returns the errors of the document and of fields.
 * @throws AppError rateLimited and forbidden (missing scope), and UnavailableError, because these errors have their own
 * HTTP status.
 */
export async function executeRequest(request: GraphQLRequest): Promise<GraphQLResponse> {
  const { log } = request.runtime;
  const ready = withDurationsFrom(request.at, () => makeReady(request));
  if (!("operation" in ready)) return { errors: ready.map((error) => formatError(error, log, request.requestId)) };
  checkScopes(request.principal, ready);
  const { operation, args } = ready;
  const selected =
    operation.introspection.length > 0 ? [...operation.roots, ...operation.introspection] : operation.roots;
  const refused = findLongTextScanError(selected, args);
  if (refused) return { errors: [formatError(refused, log, request.requestId)] };
  await request.meter.charge(knownPoints(ready, selected), (most) => suggestCheaper(selected, args, most));
  return run(request, ready);
}

/** Parses, validates, coerces and collects a request, or returns the errors. */
function makeReady(request: GraphQLRequest): ReadyOperation | readonly GraphQLError[] {
  try {
    const prepared = prepareDocument(request.query);
    if (!("document" in prepared)) return prepared;
    const node = selectOperation(prepared, request.operationName);
    if (!node) return [new GraphQLError(unnamed(request.operationName))];
    if (node.operation === "subscription") return [new GraphQLError(NO_SUBSCRIPTIONS, { nodes: node })];
    const definitions = node.variableDefinitions ?? [];
    const { coerced, errors } = getVariableValues(combinedSchema, definitions, request.variables, { maxErrors: 5 });
    if (!coerced) return errors;
    const operation = collectFieldsCached(prepared, node, coerced);
    return { node, operation, variables: coerced, args: coerceArguments(operation.fieldArguments, coerced) };
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

async function run(request: GraphQLRequest, ready: ReadyOperation): Promise<GraphQLResponse> {
  try {
    rejectUnsupportedArguments(ready);
    const texts = await textsOf(request, ready);
    const members = ready.operation.keys.map((key) => `"${key}":${texts.get(key)}`);
    return { data: `{${members.join()}}`, behind: request.isBehind };
  } catch (thrown) {
    const [error, path] = thrown instanceof FieldError ? [thrown.cause, thrown.path] : [thrown];
    if (error instanceof UnavailableError) throw error;
    return { data: "null", errors: [formatError(error, request.runtime.log, request.requestId, path)] };
  }
}

async function textsOf(request: GraphQLRequest, ready: ReadyOperation): Promise<RootFieldJsonByKey> {
  const { operation, node } = ready;
  const known = operation.roots.flatMap((root) => {
    const text = root.constant ?? resolveWithoutDatabase(request, root);
    return text === undefined ? [] : [[root.key, text] as const];
  });
  const texts: RootFieldJsonByKey = new Map([...known, ...(await introspected(request, ready))]);
  const roots = texts.size > 0 ? operation.roots.filter(({ key }) => !texts.has(key)) : operation.roots;
  const found = roots.length === 0 ? [] : await textsOfRoots(request, ready, roots, node.operation === "mutation");
  return new Map([...texts, ...found]);
}

const introspected = (
  request: GraphQLRequest,
  ready: ReadyOperation,
): Promise<RootFieldJsonByKey> | RootFieldJsonByKey =>
  ready.operation.introspection.length === 0 ? new Map() : introspect(ready, getIntrospectionSchema(request.shown));

async function textsOfRoots(
  request: GraphQLRequest,
  ready: ReadyOperation,
  roots: readonly Selection[],
  changes: boolean,
): Promise<RootFieldJsonByKey> {
  const scope = scopeOf(request);
  if (!scope && roots.every(({ field }) => field === "viewer")) return readAccountViewer(request, roots);
  if (!scope) throw noOrganization();
  const texts = await (changes ? runMutation : runQuery)(request, scope, ready, roots);
  auditRecordedReads(request, ready, roots);
  return texts;
}

/** Returns the scope in which the request reads and writes. Undefined for a token without an organization. */
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
  forbidden(
    "the token is not for an organization; create an organization with POST /api/organization, and use the returned token",
  );
