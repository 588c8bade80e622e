import {
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type StringValueNode,
  type TypeNode,
  visit,
} from "graphql";
import { readOwn } from "../../formats/own.ts";
import { wordsOf } from "./type-words.ts";

type Meanings = Readonly<Record<string, string>>;

/** The meaning of an argument of this name on every list. */
const OF_LISTS: Meanings = {
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
const REFUSED = "Refused: clients of other servers know it.";
/** The ends of a range of time. */
const OF_RANGES: Meanings = {
  from: "Beginning of the range; 24 hours before its end by default.",
  to: "End of the range, itself not part of it; now by default.",
};
/** Names that may stand in the place of an id. */
const OTHER_NAMES: Meanings = {
  issue: "Id of the issue, or its identifier such as ENG-12.",
  team: "Id of the team, or its key such as ENG.",
};
const CALLED =
  /^(.*?)(Create|Update|Archive|Unarchive|Delete|AddLabel|RemoveLabel|Resolve|Unresolve|RotateSecret|Renew|Release|Complete|Handover|Hold|Ignore|Unignore|Blank|Test)?$/;

/** The meaning of a field of this name, of every type. */
const OF_FIELDS: Meanings = {
  name: "Name shown to people.",
  description: "Free text in Markdown.",
  color: "Colour as #rrggbb.",
  icon: "Name of an icon.",
  url: "Where a person finds it.",
  priority: "0 none, 1 urgent, 2 high, 3 medium, 4 low.",
  position: "Place among its siblings, ascending.",
  sortOrder: "Place in a manually sorted list, ascending.",
  organization: "The organization it belongs to.",
  team: "The team it belongs to.",
  creator: "Who created it.",
  startedAt: "When work on it began.",
  completedAt: "When it was completed.",
  canceledAt: "When it was canceled.",
  trashed: "True while it is in the trash, from which it is removed after 30 days.",
  count: "How many there are.",
  from: "Beginning of the range.",
  to: "End of the range, itself not part of it.",
  p50: "Milliseconds that half of the calls with a latency stayed within.",
  p95: "Milliseconds that 95 of 100 calls with a latency stayed within.",
  cacheReadTokens: "Tokens read from a cache.",
  cacheWriteTokens: "Tokens written to a cache.",
  success: "True: a mutation that fails answers an error instead.",
  lastSyncId: "Number of the last change of the organization after this mutation.",
};

/** The meaning of a member of this name, of every input that makes or changes something. */
const OF_INPUTS: Meanings = {
  id: "Id of the new entity, a UUID; sending the same input again returns the same entity.",
  name: "Name shown to people, at most 256 characters.",
  description: "Free text in Markdown.",
  color: "Colour as #rrggbb.",
  icon: "Name of an icon.",
  priority: "0 none, 1 urgent, 2 high, 3 medium, 4 low.",
  position: "Place among its siblings.",
  sortOrder: "Place in a manually sorted list.",
  teamId: "Id of the team.",
  projectId: "Id of the project; null for none.",
  parentId: "Id of the entity it is a part of; null for none.",
  createdAt: "When it was created, for imports; now when absent.",
  completedAt: "When it was completed, for imports.",
  trashed: "Moves it to the trash or back.",
  fence: "The fence of the lease under which this is written; a stale one is refused with CONFLICT.",
};

/** The meaning of a comparison. */
const OF_COMPARATORS: Meanings = {
  eq: "Equal to.",
  neq: "Not equal to.",
  eqIgnoreCase: "Equal to, in any case.",
  neqIgnoreCase: "Not equal to, in any case.",
  in: "One of.",
  nin: "None of.",
  gt: "Greater than.",
  gte: "Greater than or equal to.",
  lt: "Less than.",
  lte: "Less than or equal to.",
  contains: "Contains, case-sensitive.",
  containsIgnoreCase: "Contains, in any case.",
  notContains: "Does not contain, case-sensitive.",
  notContainsIgnoreCase: "Does not contain, in any case.",
  startsWith: "Starts with.",
  startsWithIgnoreCase: "Starts with, in any case.",
  notStartsWith: "Does not start with.",
  endsWith: "Ends with.",
  notEndsWith: "Does not end with.",
  null: "True: has no value. False: has one.",
  and: "All of these hold.",
  or: "Any of these holds.",
};

const OF_SORTS: Meanings = {
  order: "Direction; ascending by default.",
  nulls: "The place of entries without a value; last by default.",
};

/**
 * Describes what means the same wherever it stands: the arguments of lists, ids of what a field is about, inputs of mutations,
 * comparisons, orders, and fields of the names above. A description that the SDL gives itself is left alone.
 */
export const withDescriptions = (document: DocumentNode): DocumentNode =>
  visit(document, {
    ObjectTypeDefinition: (type) => ({
      ...type,
      fields: type.fields?.map((field) =>
        described(field, readOwn(OF_FIELDS, field.name.value) ?? textOfChange(field)),
      ),
    }),
    InputObjectTypeDefinition: (input) => ({
      ...input,
      fields: input.fields?.map((field) => described(field, textOfMember(input.name.value, field.name.value))),
    }),
    FieldDefinition: (field) => ({
      ...field,
      arguments: field.arguments?.map((argument) => described(argument, textOfArgument(field, argument))),
    }),
  });

/** A node with a description, unless it has one. */
export const described = <Node extends { readonly description?: StringValueNode | undefined }>(
  node: Node,
  value: string | undefined,
): Node =>
  node.description || value === undefined ? node : { ...node, description: { kind: Kind.STRING, value } as const };

/** A value before a change, or since. */
function textOfChange({ name }: FieldDefinitionNode): string | undefined {
  const [, side, of = "", id] = /^(from|to)([A-Z]\w*?)(Id)?$/.exec(name.value) ?? [];
  return side && `${id ? "Id of the" : "The"} ${wordsOf(of)} ${side === "from" ? "before" : "since"}.`;
}

function textOfMember(input: string, name: string): string | undefined {
  if (/(Create|Update)Input$/.test(input)) return readOwn(OF_INPUTS, name);
  if (input.endsWith("Comparator")) return readOwn(OF_COMPARATORS, name);
  if (input.endsWith("Filter"))
    return /^(and|or)$/.test(name) ? readOwn(OF_COMPARATORS, name) : `On its ${wordsOf(name)}.`;
  if (input.endsWith("SortInput")) return `By ${wordsOf(name)}.`;
  return input.endsWith("Sort") ? readOwn(OF_SORTS, name) : undefined;
}

function textOfArgument(field: FieldDefinitionNode, { name, type, directives }: InputValueDefinitionNode) {
  const of = nameOf(type);
  if (directives?.some((each) => each.name.value === "refused")) return REFUSED;
  if (of === "DateTimeOrDuration") return readOwn(OF_RANGES, name.value);
  if (name.value === "input")
    return of.endsWith("CreateInput") ? CREATE : of.endsWith("UpdateInput") ? UPDATE : undefined;
  if (name.value === "id") return textOfId(CALLED.exec(field.name.value)?.[1] ?? "");
  return /(Connection|SearchPayload)$/.test(nameOf(field.type)) ? readOwn(OF_LISTS, name.value) : undefined;
}

const textOfId = (entity: string): string => readOwn(OTHER_NAMES, entity) ?? `Id of the ${wordsOf(entity)}, a UUID.`;

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));
