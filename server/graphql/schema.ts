import { readFileSync } from "node:fs";
import {
  buildASTSchema,
  coerceInputValue,
  concatAST,
  type DocumentNode,
  type FieldDefinitionNode,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  type InputValueDefinitionNode,
  Kind,
  parse,
  type StringValueNode,
  type TypeNode,
  valueFromASTUntyped,
  visit,
} from "graphql";
import { withDerivedTypes } from "./derived-types.ts";
import { linearNames, markLinearNames } from "./linear/extension.ts";
import { readDate, readDateTime, readDuration, readSyncCursor, readUuid } from "./scalars.ts";
import { wordsOf } from "./type-words.ts";

/** The meaning of an argument of this name on every list. */
const OF_LISTS: Readonly<Record<string, string>> = {
  filter: "Only entries that meet these conditions.",
  first: "How many entries at most, 1 to 250, counted from the beginning or from `after`; 50 by default.",
  after: "Only entries behind this cursor, which an earlier page gave as `endCursor`; goes with `first`.",
  last: "How many entries at most, 1 to 250, counted back from the end or from `before`.",
  before: "Only entries ahead of this cursor, which an earlier page gave as `startCursor`; goes with `last`.",
  orderBy: "The moment by which entries are ordered, the newest first; `createdAt` by default.",
  includeArchived: "Whether archived and trashed entries are listed too; not by default.",
  sort: "Further orders, the first one first.",
};
const CREATE = "What the new entity is like; what is absent gets a default.";
const UPDATE = "What to change; what is absent stays as it is.";
/** Names that may stand in the place of an id. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  issue: "Id of the issue, or its identifier such as ENG-12.",
  team: "Id of the team, or its key such as ENG.",
};
const CALLED = /^(.*?)(Create|Update|Archive|Unarchive|Delete|AddLabel|RemoveLabel|Resolve|Unresolve|RotateSecret)?$/;

/**
 * Describes the arguments that mean the same wherever they stand: those of lists, the ids of what a field is about, and
 * the inputs of mutations. A description that the SDL gives itself is left alone.
 */
export const withDescribedArguments = (document: DocumentNode): DocumentNode =>
  visit(document, {
    FieldDefinition: (field) => ({
      ...field,
      arguments: field.arguments?.map((argument) => {
        const text = argument.description ? undefined : textOf(field, argument);
        return text ? { ...argument, description: described(text) } : argument;
      }),
    }),
  });

const described = (value: string): StringValueNode => ({ kind: Kind.STRING, value });

function textOf(field: FieldDefinitionNode, { name: { value: name }, type }: InputValueDefinitionNode) {
  const of = nameOf(type);
  if (name === "input") return of.endsWith("CreateInput") ? CREATE : of.endsWith("UpdateInput") ? UPDATE : undefined;
  if (name === "id") return textOfId(CALLED.exec(field.name.value)?.[1] ?? "");
  return /(Connection|SearchPayload)$/.test(nameOf(field.type)) ? OF_LISTS[name] : undefined;
}

const textOfId = (entity: string): string => OTHER_NAMES[entity] ?? `Id of the ${wordsOf(entity)}, a UUID.`;

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));

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
const nativeNames = withDescribedArguments(withDerivedTypes(written));

const linear = linearNames(nativeNames);

/** The schema that documents are validated and run against: the native one and Linear's names. */
export const schema: GraphQLSchema = buildASTSchema(concatAST([nativeNames, withDescribedArguments(linear)]));
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
