import {
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type StringValueNode,
  type TypeNode,
  visit,
} from "graphql";
import { getOwnProperty } from "../../formats/own.ts";
import { splitTypeName } from "./type-words.ts";

type Meanings = Readonly<Record<string, string>>;

/** Descriptions of list arguments, by name. */
const OF_LISTS: Meanings = {
  filter: "Only entries that match the filter.",
  first:
    "Maximum number of entries, 1 to 250, counted from the beginning of the list or from the cursor `after`. Default: 50.",
  after: "Only entries after this cursor, the `endCursor` of an earlier page. Use with `first`.",
  last: "Maximum number of entries, 1 to 250, counted back from the end of the list or from the cursor `before`.",
  before: "Only entries before this cursor, the `startCursor` of an earlier page. Use with `last`.",
  orderBy: "Time by which entries are sorted, newest first. Default: `createdAt`.",
  includeArchived: "True to include archived and trashed entries. Default: false.",
  sort: "Sort keys, the most important first.",
};
const CREATE = "Fields of the new entity. Absent fields get default values.";
const UPDATE = "Fields to change. Absent fields stay unchanged.";
const REFUSED = "Not supported. Exists only for compatibility with similar APIs.";
/** Descriptions of the limits of a time range. */
const OF_RANGES: Meanings = {
  from: "Start of the range. Default: 24 hours before the end.",
  to: "End of the range, exclusive. Default: now.",
};
/** Descriptions of ids that also accept another name. */
const OTHER_NAMES: Meanings = {
  issue: "Id of the issue, or its identifier, such as ENG-12.",
  team: "Id of the team, or its key, such as ENG.",
};
const CALLED =
  /^(.*?)(Create|Update|Archive|Unarchive|Delete|AddLabel|RemoveLabel|Resolve|Unresolve|RotateSecret|Renew|Release|Complete|Handover|Hold|Ignore|Unignore|Blank|Test)?$/;

/** Descriptions of fields by name. A description applies to the field with the name in every type. */
const OF_FIELDS: Meanings = {
  name: "Display name.",
  description: "Description in Markdown.",
  color: "Color in the form #rrggbb.",
  icon: "Name of an icon.",
  url: "URL of the page in the web app.",
  priority: "0 none, 1 urgent, 2 high, 3 medium, 4 low.",
  position: "Position in the list; lowest first.",
  sortOrder: "Position in a manually sorted list; lowest first.",
  organization: "Organization of the entity.",
  team: "Team of the entity.",
  creator: "User who created the entity.",
  startedAt: "Time at which work started.",
  completedAt: "Time of completion.",
  canceledAt: "Time of cancellation.",
  trashed: "True if the entity is in the trash, where it is permanently deleted after 30 days.",
  count: "Number of occurrences.",
  from: "Start of the range.",
  to: "End of the range, exclusive.",
  p50: "Median latency, in milliseconds.",
  p95: "95th percentile of the latency, in milliseconds.",
  cacheReadTokens: "Tokens read from a cache.",
  cacheWriteTokens: "Tokens written to a cache.",
  success: "Always true, because a failed mutation returns an error instead.",
  lastSyncId: "Number of the last entry in the organization's change log after this mutation.",
};

/**
 * Descriptions of input fields by name. A description applies to the field with the name in every create or update
 * input.
 */
const OF_INPUTS: Meanings = {
  id: "Id of the new entity, a UUID. A repeated request with the same id and input returns the same entity.",
  name: "Display name, at most 256 characters.",
  description: "Description in Markdown.",
  color: "Color in the form #rrggbb.",
  icon: "Name of an icon.",
  priority: "0 none, 1 urgent, 2 high, 3 medium, 4 low.",
  position: "Position in the list.",
  sortOrder: "Position in a manually sorted list.",
  teamId: "Id of the team.",
  projectId: "Id of the project; null for none.",
  parentId: "Id of the parent entity; null for none.",
  createdAt: "Time of creation, for imports. Default: now.",
  completedAt: "Time of completion, for imports.",
  trashed: "True moves the entity to the trash; false restores the entity.",
  fence: "Fence: the number of the caller's claim. An outdated number fails with CONFLICT.",
};

/** Descriptions of comparators. */
const OF_COMPARATORS: Meanings = {
  eq: "Equal to.",
  neq: "Not equal to.",
  eqIgnoreCase: "Equal to, ignoring case.",
  neqIgnoreCase: "Not equal to, ignoring case.",
  in: "One of.",
  nin: "None of.",
  gt: "Greater than.",
  gte: "Greater than or equal to.",
  lt: "Less than.",
  lte: "Less than or equal to.",
  contains: "Contains, case-sensitive.",
  containsIgnoreCase: "Contains, ignoring case.",
  notContains: "Does not contain, case-sensitive.",
  notContainsIgnoreCase: "Does not contain, ignoring case.",
  startsWith: "Starts with.",
  startsWithIgnoreCase: "Starts with, ignoring case.",
  notStartsWith: "Does not start with.",
  endsWith: "Ends with.",
  notEndsWith: "Does not end with.",
  null: "If true, the value must be null. If false, the value must not be null.",
  and: "All conditions in the list must be true.",
  or: "At least one condition in the list must be true.",
};

const OF_SORTS: Meanings = {
  order: "Sort direction. Default: ascending.",
  nulls: "Whether entries without a value come first or last. Default: last.",
};

/**
 * Adds descriptions that are the same everywhere: for list arguments, ids, inputs of mutations, comparators, orders
 * and the common fields above. A description in the SDL stays unchanged.
 */
export const withDescriptions = (document: DocumentNode): DocumentNode =>
  visit(document, {
    ObjectTypeDefinition: (type) => ({
      ...type,
      fields: type.fields?.map((field) =>
        addDescription(field, getOwnProperty(OF_FIELDS, field.name.value) ?? textOfChange(field)),
      ),
    }),
    InputObjectTypeDefinition: (input) => ({
      ...input,
      fields: input.fields?.map((field) => addDescription(field, textOfMember(input.name.value, field.name.value))),
    }),
    FieldDefinition: (field) => ({
      ...field,
      arguments: field.arguments?.map((argument) => addDescription(argument, textOfArgument(field, argument))),
    }),
  });

/** Adds a description to a node without a description. */
export const addDescription = <Node extends { readonly description?: StringValueNode | undefined }>(
  node: Node,
  value: string | undefined,
): Node =>
  node.description || value === undefined ? node : { ...node, description: { kind: Kind.STRING, value } as const };

/** Describes a value before or after a change. */
function textOfChange({ name }: FieldDefinitionNode): string | undefined {
  const [, side, of = "", id] = /^(from|to)([A-Z]\w*?)(Id)?$/.exec(name.value) ?? [];
  return side && `${id ? "Id of the" : "The"} ${splitTypeName(of)} ${side === "from" ? "before" : "after"} the change.`;
}

function textOfMember(input: string, name: string): string | undefined {
  if (/(Create|Update)Input$/.test(input)) return getOwnProperty(OF_INPUTS, name);
  if (input.endsWith("Comparator")) return getOwnProperty(OF_COMPARATORS, name);
  if (input.endsWith("Filter"))
    return /^(and|or)$/.test(name) ? getOwnProperty(OF_COMPARATORS, name) : `Condition on \`${name}\`.`;
  if (input.endsWith("SortInput")) return `By ${splitTypeName(name)}.`;
  return input.endsWith("Sort") ? getOwnProperty(OF_SORTS, name) : undefined;
}

function textOfArgument(field: FieldDefinitionNode, { name, type, directives }: InputValueDefinitionNode) {
  const of = nameOf(type);
  if (directives?.some((each) => each.name.value === "refused")) return REFUSED;
  if (of === "DateTimeOrDuration") return getOwnProperty(OF_RANGES, name.value);
  if (name.value === "input")
    return of.endsWith("CreateInput") ? CREATE : of.endsWith("UpdateInput") ? UPDATE : undefined;
  if (name.value === "id") return textOfId(CALLED.exec(field.name.value)?.[1] ?? "");
  return /(Connection|SearchPayload)$/.test(nameOf(field.type)) ? getOwnProperty(OF_LISTS, name.value) : undefined;
}

const textOfId = (entity: string): string =>
  getOwnProperty(OTHER_NAMES, entity) ?? `Id of the ${splitTypeName(entity)}, a UUID.`;

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));
