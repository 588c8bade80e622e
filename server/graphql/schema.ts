import { readFileSync } from "node:fs";
import { buildSchema, type GraphQLScalarType, type GraphQLSchema, Kind, valueFromASTUntyped } from "graphql";
import { readDate, readDateTime, readDuration, readSyncCursor, readUuid } from "./scalars.ts";

/** How each custom scalar reads a value, from a variable or from the document. Throws what the caller is told. */
const READERS: Record<string, (value: unknown) => unknown> = {
  DateTime: readDateTime,
  DateTimeOrDuration: (value) => readDuration(value)?.toISOString() ?? readDateTime(value),
  TimelessDate: readDate,
  TimelessDateOrDuration: (value) => readDuration(value)?.toISOString().slice(0, 10) ?? readDate(value),
  UUID: readUuid,
  SyncCursor: readSyncCursor,
};

/** The schema of the data plane: schema.graphql with its scalars given meaning. */
export const schema: GraphQLSchema = buildSchema(readFileSync(new URL("./schema.graphql", import.meta.url), "utf8"));

for (const [name, read] of Object.entries(READERS)) {
  const scalar = schema.getType(name) as GraphQLScalarType;
  scalar.parseValue = read;
  scalar.parseLiteral = (node) => read(node.kind === Kind.INT ? Number(node.value) : valueFromASTUntyped(node));
}
