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
import { LRUCache } from "lru-cache";
import { type Collected, collect } from "./collect.ts";
import { checkDocument, MAX_TOKENS } from "./limits.ts";
import type { Plan } from "./plan.ts";
import { schema } from "./schema.ts";

const CACHED_BYTES = 8_192;
const CACHED_DOCUMENTS = 1_000;
const CACHED_PLANS = 50;

/** An operation as it was collected, with the statements compiled for it by the shape of its arguments. */
export interface Operation extends Collected {
  plans: LRUCache<string, Plan>;
}

/** A document that parsed and is valid, with what was worked out for it. */
export interface Prepared {
  document: DocumentNode;
  /** Variables that @skip and @include depend on: they change what is collected. */
  conditions: readonly string[];
  operations: Map<string, Operation>;
}

const cache = new LRUCache<string, Prepared>({ max: CACHED_DOCUMENTS });

/**
 * Parses and validates a document; one of at most 8 KiB is remembered.
 * @throws GraphQLError for a syntax error or a flood; returns the errors of validation.
 */
export function prepare(source: string): Prepared | readonly GraphQLError[] {
  const known = cache.get(source);
  if (known) return known;
  const document = parse(source, { maxTokens: MAX_TOKENS });
  checkDocument(document);
  const errors = validate(schema, document, undefined, { maxErrors: 5 });
  if (errors.length > 0) return errors;
  const prepared: Prepared = { document, conditions: conditionsOf(document), operations: new Map() };
  if (source.length <= CACHED_BYTES) cache.set(source, prepared);
  return prepared;
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

/** The operation to run, or undefined when the name names none or is missing where several stand. */
export const operationOf = (prepared: Prepared, name: string | undefined): OperationDefinitionNode | undefined =>
  getOperationAST(prepared.document, name) ?? undefined;

/** The collected fields of an operation under its variables, worked out once a combination of conditions. */
export function collectedOf(
  prepared: Prepared,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Operation {
  const conditions = prepared.conditions.map((name) => variables[name]);
  const key = JSON.stringify([operation.name?.value, ...conditions]);
  const known = prepared.operations.get(key);
  if (known) return known;
  const collected = collect(prepared.document, operation, variables);
  const fresh = { ...collected, plans: new LRUCache<string, Plan>({ max: CACHED_PLANS }) };
  if (prepared.operations.size < CACHED_PLANS) prepared.operations.set(key, fresh);
  return fresh;
}
