import {
  type DocumentNode,
  type GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  visit,
} from "graphql";
import { getOwnProperty } from "../../../formats/own.ts";
import { createCache } from "../../cache.ts";
import type { Selection } from "../../read/selection.ts";
import { createPlanCache, type PlanCache } from "../plan/plan-cache.ts";
import { combinedSchema } from "../schema.ts";
import { type CollectedOperation, collectOperation } from "./collect.ts";
import { checkDocumentLimits, MAX_TOKENS } from "./limits.ts";

const CACHED_BYTES = 8_192;
/** Measured: a parsed document takes 235 to 270 bytes per token after `dropTokens`, and 340 to 370 before. */
const TOKEN_BYTES = 300;
/** Measured: 220 to 380 bytes per selected field, including its arguments. */
const SELECTION_BYTES = 450;

/** A collected operation, with its cached plans by the shape of the arguments. */
export interface CachedOperation extends CollectedOperation {
  plans: PlanCache;
}

/** A parsed and valid document, with all values derived from the document. */
export interface PreparedDocument {
  /** Number under which the document's operations are cached. Undefined if the document is not cached. */
  id: number | undefined;
  tokens: number;
  document: DocumentNode;
  /** Variables in @skip and @include, which change the collected selection. */
  conditions: readonly string[];
}

const documents = createCache<PreparedDocument>({
  name: "documents",
  sizeOf: ({ tokens }) => 1_000 + TOKEN_BYTES * tokens,
});
const operations = createCache<CachedOperation>({
  name: "operations",
  sizeOf: ({ roots, introspection, fieldArguments }) =>
    SELECTION_BYTES * (countOf(roots) + countOf(introspection)) + SELECTION_BYTES * (1 + fieldArguments.length),
});
let last = 0;

const countOf = (selections: readonly Selection[]): number =>
  selections.reduce((sum, { children }) => sum + 1 + countOf(children), 0);

/**
 * Parses and validates a document. Documents of up to 8 KiB are cached. Returns the errors of validation.
 * @throws GraphQLError for a syntax error, or for a document that exceeds the limits
 */
export function prepareDocument(source: string): PreparedDocument | readonly GraphQLError[] {
  const known = documents.get(source);
  if (known) return known;
  const document = parse(source, { maxTokens: MAX_TOKENS });
  checkDocumentLimits(document);
  const errors = validate(combinedSchema, document, undefined, { maxErrors: 5 });
  if (errors.length > 0) return errors;
  const prepared = { document, conditions: conditionsOf(document), id: undefined, tokens: 0 };
  return source.length > CACHED_BYTES ? prepared : cacheDocument(source, prepared);
}

function cacheDocument(source: string, prepared: PreparedDocument): PreparedDocument {
  last += 1;
  const cached = { ...prepared, id: last, tokens: dropTokens(prepared.document) };
  documents.set(source, cached);
  return cached;
}

/**
 * Drops the list of tokens, a third of a document's memory. Errors need only the positions. @returns the number of
 * tokens.
 */
function dropTokens(document: DocumentNode): number {
  let tokens = 0;
  for (let token = document.loc?.startToken ?? null; token; token = token.next) tokens += 1;
  visit(document, {
    enter({ loc }) {
      if (loc) Object.assign(loc, { startToken: undefined, endToken: undefined });
    },
  });
  return tokens;
}

function conditionsOf(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: args = [] }) => {
      for (const { value } of args) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

/**
 * Returns the operation to run. Undefined for an unknown name, or without a name for a document with several
 * operations.
 */
export const selectOperation = (
  prepared: PreparedDocument,
  name: string | undefined,
): OperationDefinitionNode | undefined => getOperationAST(prepared.document, name) ?? undefined;

/** Returns the collected fields of an operation. Each combination of values in @skip and @include is collected once. */
export function collectFieldsCached(
  prepared: PreparedDocument,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): CachedOperation {
  const conditions = prepared.conditions.map((name) => getOwnProperty(variables, name));
  const key = JSON.stringify([prepared.id, operation.name?.value, ...conditions]);
  const known = prepared.id === undefined ? undefined : operations.get(key);
  if (known) return known;
  const collected = collectOperation(prepared.document, operation, variables);
  if (prepared.id === undefined) return { ...collected, plans: new Map() };
  const fresh = { ...collected, plans: createPlanCache() };
  operations.set(key, fresh);
  return fresh;
}
