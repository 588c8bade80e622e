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
import { readOwn } from "../../../formats/own.ts";
import { createCache } from "../../cache.ts";
import type { Selection } from "../../read/selection.ts";
import { newPlans, type Plans } from "../plan/plan-cache.ts";
import { schema } from "../schema.ts";
import { type Collected, collect } from "./collect.ts";
import { checkDocument, MAX_TOKENS } from "./limits.ts";

const CACHED_BYTES = 8_192;
/** Measured: a parsed document takes 235 to 270 bytes a token once its tokens are dropped, and 340 to 370 before. */
const TOKEN_BYTES = 300;
/** Measured: 220 to 380 bytes a selected field, its arguments included. */
const SELECTION_BYTES = 450;

/** An operation after collection, with the statements compiled for it by the shape of its arguments. */
export interface Operation extends Collected {
  plans: Plans;
}

/** A document that parsed and is valid, with everything derived from it. */
export interface Prepared {
  /** The number its operations are cached under; undefined when it is not cached itself. */
  id: number | undefined;
  tokens: number;
  document: DocumentNode;
  /** Variables that @skip and @include depend on: they change the collected selection. */
  conditions: readonly string[];
}

const documents = createCache<Prepared>({ name: "documents", sizeOf: ({ tokens }) => 1_000 + TOKEN_BYTES * tokens });
const operations = createCache<Operation>({
  name: "operations",
  sizeOf: ({ roots, introspection, fieldArguments }) =>
    SELECTION_BYTES * (countOf(roots) + countOf(introspection)) + SELECTION_BYTES * (1 + fieldArguments.length),
});
let last = 0;

const countOf = (selections: readonly Selection[]): number =>
  selections.reduce((sum, { children }) => sum + 1 + countOf(children), 0);

/**
 * Parses and validates a document; one of at most 8 KiB is cached.
 * @throws GraphQLError for a syntax error or a flood; returns the errors of validation.
 */
export function prepare(source: string): Prepared | readonly GraphQLError[] {
  const known = documents.get(source);
  if (known) return known;
  const document = parse(source, { maxTokens: MAX_TOKENS });
  checkDocument(document);
  const errors = validate(schema, document, undefined, { maxErrors: 5 });
  if (errors.length > 0) return errors;
  const prepared = { document, conditions: conditionsOf(document), id: undefined, tokens: 0 };
  return source.length > CACHED_BYTES ? prepared : cacheDocument(source, prepared);
}

function cacheDocument(source: string, prepared: Prepared): Prepared {
  last += 1;
  const cached = { ...prepared, id: last, tokens: dropTokens(prepared.document) };
  documents.set(source, cached);
  return cached;
}

/**
 * Drops the list of tokens, a third of a document's memory: errors need only their positions. @returns their number.
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

/** The operation to run; undefined for an unknown name, or without a name where there are several. */
export const operationOf = (prepared: Prepared, name: string | undefined): OperationDefinitionNode | undefined =>
  getOperationAST(prepared.document, name) ?? undefined;

/** The collected fields of an operation, collected once for each combination of values that @skip and @include see. */
export function collectedOf(
  prepared: Prepared,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Operation {
  const conditions = prepared.conditions.map((name) => readOwn(variables, name));
  const key = JSON.stringify([prepared.id, operation.name?.value, ...conditions]);
  const known = prepared.id === undefined ? undefined : operations.get(key);
  if (known) return known;
  const collected = collect(prepared.document, operation, variables);
  if (prepared.id === undefined) return { ...collected, plans: new Map() };
  const fresh = { ...collected, plans: newPlans() };
  operations.set(key, fresh);
  return fresh;
}
