import {
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type TypeNode,
  visit,
} from "graphql";

const [node, answer, list] = parse(
  `type Node {
    "Unique id."
    id: ID!
    "Time of creation."
    createdAt: DateTime!
    "Time of the last change."
    updatedAt: DateTime!
    "Time of archiving; null if not archived."
    archivedAt: DateTime
  }
  type Answer { success: Boolean! lastSyncId: Float! }
  type List {
    page(first: Int, after: String, last: Int, before: String): Int
    ordered(orderBy: PaginationOrderBy, includeArchived: Boolean): Int
  }`,
  { noLocation: true },
).definitions as [ObjectTypeDefinitionNode, ObjectTypeDefinitionNode, ObjectTypeDefinitionNode];

const [pageArguments = [], orderArguments = []] = (list.fields ?? []).map((field) => field.arguments);

/**
 * Adds derived fields to the SDL. Types that implement `Node` and do not declare `id` get the common fields of
 * resources. Results of mutations get `success` and `lastSyncId`. Fields that return a page and do not declare `first`
 * get the arguments of lists.
 */
export function withDerivedFields(document: DocumentNode): DocumentNode {
  const types = document.definitions.filter((each) => each.kind === Kind.OBJECT_TYPE_DEFINITION);
  const mutations = types.find(({ name }) => name.value === "Mutation")?.fields ?? [];
  const answers = new Set(mutations.map(({ type }) => nameOf(type)));
  const unordered = new Set(types.filter((type) => !isNode(type) && !has(type.fields, "updatedAt")).map(connectionOf));
  return visit(document, {
    ObjectTypeDefinition(type) {
      const own = type.fields ?? [];
      if (isNode(type)) return { ...type, fields: [...(node.fields ?? []), ...own] };
      if (!answers.has(type.name.value)) return undefined;
      return { ...type, fields: [...own, ...(answer.fields ?? []).filter(({ name }) => !has(own, name.value))] };
    },
    FieldDefinition: (field) => withPaging(field, unordered.has(nameOf(field.type))),
  });
}

/** Lists of immutable entries have no order by `updatedAt` and no archive, and therefore no such arguments. */
function withPaging(field: FieldDefinitionNode, isUnordered: boolean): FieldDefinitionNode | undefined {
  const own = field.arguments ?? [];
  if (!nameOf(field.type).endsWith("Connection") || has(own, "first")) return undefined;
  const paging = isUnordered ? pageArguments : [...pageArguments, ...orderArguments];
  const behind = own[0]?.name.value === "filter" ? 1 : 0;
  return { ...field, arguments: [...own.slice(0, behind), ...paging, ...own.slice(behind)] };
}

const has = (nodes: readonly (FieldDefinitionNode | InputValueDefinitionNode)[] = [], name: string): boolean =>
  nodes.some((each) => each.name.value === name);

/**
 * Returns true for a type that gets the common fields of resources: the type implements `Node` and does not declare
 * `id`.
 */
const isNode = ({ interfaces = [], fields }: ObjectTypeDefinitionNode): boolean =>
  interfaces.some(({ name }) => name.value === "Node") && !has(fields, "id");

const connectionOf = ({ name }: ObjectTypeDefinitionNode): string => `${name.value}Connection`;

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));
