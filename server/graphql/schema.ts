import { readFileSync } from "node:fs";
import {
  buildASTSchema,
  coerceInputValue,
  concatAST,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  Kind,
  parse,
  valueFromASTUntyped,
} from "graphql";
import { withDerivedTypes } from "./derived-types.ts";
import { withDescriptions } from "./descriptions.ts";
import { linearNames, markLinearNames } from "./linear/extension.ts";
import { readDate, readDateTime, readDuration, readSyncCursor, readUuid } from "./scalars.ts";

/** Readers of custom scalars, for variables and for literals. They throw the error that the caller sees. */
const READERS: Record<string, (value: unknown) => unknown> = {
  DateTime: readDateTime,
  DateTimeOrDuration: (value) => readDuration(value)?.toISOString() ?? readDateTime(value),
  TimelessDate: readDate,
  TimelessDateOrDuration: (value) => readDuration(value)?.toISOString().slice(0, 10) ?? readDate(value),
  UUID: readUuid,
  SyncCursor: readSyncCursor,
  IssueFilterJSON: (value) => asGiven("IssueFilter", value),
};

const written = parse(readFileSync(new URL("./schema.graphql", import.meta.url), "utf8"), { noLocation: true });
const nativeNames = withDescriptions(withDerivedTypes(written));

const linear = linearNames(nativeNames);

/** The schema for validation and execution: the native schema and Linear's names. */
export const schema: GraphQLSchema = buildASTSchema(concatAST([nativeNames, linear]));
markLinearNames(schema, linear);

/** Checks a value against an input type, and returns the value unchanged. */
function asGiven(type: string, value: unknown): unknown {
  coerceInputValue(value, schema.getType(type) as GraphQLInputType, (path, _, { message }) => {
    throw new GraphQLError(path.length > 0 ? `${path.join(".")}: ${message}` : message);
  });
  return value;
}

for (const [name, readValue] of Object.entries(READERS)) {
  const scalar = schema.getType(name) as GraphQLScalarType;
  scalar.parseValue = readValue;
  scalar.parseLiteral = (node) => readValue(node.kind === Kind.INT ? Number(node.value) : valueFromASTUntyped(node));
}

/** Schema for introspection: Trackway's own, or with Linear's names. Documents may use both in either case. */
export type SchemaName = "native" | "linear";

export const isSchemaName = (name: unknown): name is SchemaName => name === "native" || name === "linear";

let native: GraphQLSchema | undefined;

/**
 * Returns the schema for introspection. The native schema is built at the first request, because no document runs on
 * the native schema.
 */
export function shownSchema(shown: SchemaName): GraphQLSchema {
  if (shown === "linear") return schema;
  native ??= buildASTSchema(nativeNames);
  return native;
}
