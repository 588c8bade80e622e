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

/** Readers of custom scalars, from a variable or from the document. They throw the caller's error. */
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

/** The schema that documents are validated and run against: the native one and Linear's names. */
export const schema: GraphQLSchema = buildASTSchema(concatAST([nativeNames, linear]));
markLinearNames(schema, linear);

/** Checks a value as one of an input type, and answers it as it was given. */
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

/** The schema that introspection shows: Trackway's own, or with Linear's names. Both run in either case. */
export type Shown = "native" | "linear";

export const isShown = (name: unknown): name is Shown => name === "native" || name === "linear";

let native: GraphQLSchema | undefined;

/** The schema that introspection shows. The native one is built when it is first asked for: nothing runs on it. */
export function shownSchema(shown: Shown): GraphQLSchema {
  if (shown === "linear") return schema;
  native ??= buildASTSchema(nativeNames);
  return native;
}
