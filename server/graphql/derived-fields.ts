import {
  type DocumentNode,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type TypeNode,
  visit,
} from "graphql";

/** The fields of every resource. */
const [{ fields: BASE = [] }] = parse(
  `type Node {
    "Unique id."
    id: ID!
    "When it was created."
    createdAt: DateTime!
    "When it last changed."
    updatedAt: DateTime!
    "When it was archived; null while it is not."
    archivedAt: DateTime
  }`,
  { noLocation: true },
).definitions as [ObjectTypeDefinitionNode];

/** The arguments of every paged list, with their types. */
const PAGING = {
  first: "Int",
  after: "String",
  last: "Int",
  before: "String",
  orderBy: "PaginationOrderBy",
  includeArchived: "Boolean",
};

const paging = Object.entries(PAGING).map(
  ([name, type]): InputValueDefinitionNode => ({
    kind: Kind.INPUT_VALUE_DEFINITION,
    name: { kind: Kind.NAME, value: name },
    type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: type } },
  }),
);

/**
 * Gives every type that implements `Node` the fields of a resource, unless it writes its `id` by itself, and every field
 * that answers a page the arguments of lists, behind its filter, unless it writes `first` by itself.
 */
export const withDerivedFields = (document: DocumentNode): DocumentNode =>
  visit(document, {
    ObjectTypeDefinition(type) {
      const own = type.fields ?? [];
      if (!type.interfaces?.some(({ name }) => name.value === "Node")) return undefined;
      return own.some(({ name }) => name.value === "id") ? undefined : { ...type, fields: [...BASE, ...own] };
    },
    FieldDefinition(field) {
      const own = field.arguments ?? [];
      if (!nameOf(field.type).endsWith("Connection") || own.some(({ name }) => name.value === "first"))
        return undefined;
      const behind = own[0]?.name.value === "filter" ? 1 : 0;
      return { ...field, arguments: [...own.slice(0, behind), ...paging, ...own.slice(behind)] };
    },
  });

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));
