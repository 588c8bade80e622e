import { type DocumentNode, type InputValueDefinitionNode, Kind, type TypeNode, visit } from "graphql";

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

/** Gives every field that answers a page the arguments of lists, behind its filter, unless it says by itself how it is paged. */
export const withListArguments = (document: DocumentNode): DocumentNode =>
  visit(document, {
    FieldDefinition(field) {
      const own = field.arguments ?? [];
      if (!nameOf(field.type).endsWith("Connection") || own.some(({ name }) => name.value === "first"))
        return undefined;
      const behind = own[0]?.name.value === "filter" ? 1 : 0;
      return { ...field, arguments: [...own.slice(0, behind), ...paging, ...own.slice(behind)] };
    },
  });

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));
