import {
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type StringValueNode,
  type TypeNode,
  visit,
} from "graphql";
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
