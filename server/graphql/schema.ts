import { readFileSync } from "node:fs";
import {
  buildASTSchema,
  concatAST,
  type GraphQLObjectType,
  type GraphQLScalarType,
  type GraphQLSchema,
  Kind,
  parse,
  valueFromASTUntyped,
} from "graphql";
import { markConstant } from "./constant.ts";
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

const read = (name: string) => parse(readFileSync(new URL(name, import.meta.url), "utf8"), { noLocation: true });

const alwaysEmpty = read("./always-empty.graphql");

/** The schema of the data plane: its two SDL files, with the scalars given meaning and the empty fields marked. */
export const schema: GraphQLSchema = buildASTSchema(concatAST([read("./schema.graphql"), alwaysEmpty]));

for (const [name, readValue] of Object.entries(READERS)) {
  const scalar = schema.getType(name) as GraphQLScalarType;
  scalar.parseValue = readValue;
  scalar.parseLiteral = (node) => readValue(node.kind === Kind.INT ? Number(node.value) : valueFromASTUntyped(node));
}

for (const definition of alwaysEmpty.definitions) {
  if (definition.kind === Kind.OBJECT_TYPE_EXTENSION || definition.kind === Kind.OBJECT_TYPE_DEFINITION) {
    const fields = (schema.getType(definition.name.value) as GraphQLObjectType).getFields();
    for (const { name } of definition.fields ?? []) markConstant(definition.name.value, fields[name.value]);
  }
}
