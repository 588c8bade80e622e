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
import { buildLinearExtension, markLinearFieldsConstant } from "./linear/extension.ts";
import { readDate, readDateTime, readDuration, readSyncCursor, readUuid } from "./scalars.ts";

/**
 * Functions that parse the custom scalars in variables and literals. The functions throw the error that the caller
 * sees.
 */
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

const linear = buildLinearExtension(nativeNames);

/** The schema for validation and execution: the native schema and Linear's names. */
export const combinedSchema: GraphQLSchema = buildASTSchema(concatAST([nativeNames, linear]));
markLinearFieldsConstant(combinedSchema, linear);

/** Checks a value against an input type, and returns the value unchanged. */
function asGiven(type: string, value: unknown): unknown {
  coerceInputValue(value, combinedSchema.getType(type) as GraphQLInputType, (path, _, { message }) => {
    throw new GraphQLError(path.length > 0 ? `${path.join(".")}: ${message}` : message);
  });
  return value;
}

for (const [name, readValue] of Object.entries(READERS)) {
  const scalar = combinedSchema.getType(name) as GraphQLScalarType;
  scalar.parseValue = readValue;
  scalar.parseLiteral = (node) => readValue(node.kind === Kind.INT ? Number(node.value) : valueFromASTUntyped(node));
}

/**
 * Name of the schema that introspection shows: Trackway's own schema, or the schema that also contains Linear's names.
 * Documents may use both kinds of names in either case.
 */
export type SchemaName = "native" | "linear";

export const isSchemaName = (name: unknown): name is SchemaName => name === "native" || name === "linear";

let native: GraphQLSchema | undefined;

/**
 * Returns the schema that introspection shows. The native schema is built at the first request, because only
 * introspection needs the native schema.
 */
export function getIntrospectionSchema(shown: SchemaName): GraphQLSchema {
  if (shown === "linear") return combinedSchema;
  native ??= buildASTSchema(nativeNames);
  return native;
}
