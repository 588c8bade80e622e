import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from "graphql";
import { isConstant } from "../../../server/graphql/document/constant.ts";
import { combinedSchema } from "../../../server/graphql/schema.ts";

type Field = GraphQLField<unknown, unknown>;

/** List in the schema: location, type of the entries, and a document that requests the list. */
export interface ListCase {
  name: string;
  node: string;
  query: string;
}

/** Values for required arguments. */
const REQUIRED: Record<string, string> = {
  term: '"a"',
  title: '"a"',
  name: '"Bash"',
  sessionId: '"0198c0de-0000-7000-8000-000000000001"',
  groupBy: "model",
  path: '"src/parser.ts"',
  shas: '["0123abc"]',
  failureGroupId: '"0198c0de-0000-7000-8000-000000000001"',
};

/** Returns the required arguments of a field, each with a value. */
export const writeRequiredArguments = ({ args }: Field): string[] =>
  args.filter(isRequiredArgument).map(({ name }) => `${name}: ${REQUIRED[name]}`);

/** Returns every list at the root and every list one level below, each in one of the orders. */
export function buildListCases(orderBy = "createdAt"): ListCase[] {
  const roots = listFields(combinedSchema.getQueryType()).filter(
    (root) => !isConstant(root) && isObjectType(getNamedType(root.type)),
  );
  return roots.flatMap((root) => {
    const node = findNodeType(root);
    const own = { name: root.name, node: node.name, query: `{ ${textOf(root, orderBy)} }` };
    const below = listsIn(node).map((field) => ({
      name: `${root.name} > ${field.name}`,
      node: findNodeType(field).name,
      query: `{ ${textOf(root, orderBy, textOf(field, orderBy))} }`,
    }));
    const asked = isConnection(root) ? [own, ...below] : below;
    return root.args.some(({ name }) => name === "id") || root.name === "rateLimitStatus" ? [] : asked;
  });
}

/**
 * Selects the rows that a root field's filter matches: the ids of the nodes, or all numbers of a field that counts
 * rows.
 */
export function selectMatches(field: Field, key = "id"): string {
  if ("nodes" in (getNamedType(field.type) as GraphQLObjectType).getFields()) return `nodes { ${key} }`;
  const numbers = (type: GraphQLObjectType): string =>
    listFields(type)
      .flatMap((each) => {
        const named = getNamedType(each.type);
        // The numbers of a linked row do not count the rows that match the filter.
        if (isObjectType(named)) return "id" in named.getFields() ? [] : `${each.name} { ${numbers(named)} }`;
        return ["Int", "Float"].includes(named.name) ? each.name : [];
      })
      .join(" ");
  return numbers(findNodeType(field));
}

/** Returns the lists of a type that can have entries. */
const listsIn = (type: GraphQLObjectType): Field[] =>
  listFields(type).filter((field) => !isConstant(field) && (isConnection(field) || isListOfObjects(field)));

/** Builds the selection of a field: every leaf of the entries, and the text in `more`. */
function textOf(field: Field, orderBy: string, more = ""): string {
  const entry = `${leavesOf(findNodeType(field)).join(" ")} ${more}`;
  const args = writeRequiredArguments(field);
  if (!isConnection(field)) return `${field.name}${args.length > 0 ? `(${args.join(", ")})` : ""} { ${entry} }`;
  if (field.args.some(({ name }) => name === "orderBy")) args.push(`orderBy: ${orderBy}`);
  return `${field.name}(${[...args, "first: 10"].join(", ")}) { nodes { ${entry} } pageInfo { hasNextPage endCursor } }`;
}

/** Returns the names of a type's leaf fields, without fields that are always empty. */
const leavesOf = (type: GraphQLObjectType): string[] =>
  listFields(type)
    .filter((field) => isLeafType(getNamedType(field.type)) && !isConstant(field))
    .map(({ name }) => name);

export const listFields = (type: GraphQLObjectType | null | undefined): Field[] =>
  Object.values(type?.getFields() ?? {});

const isListOfObjects = ({ type }: Field): boolean =>
  isListType(getNullableType(type)) && isObjectType(getNamedType(type));

const isConnection = ({ type }: Field): boolean => {
  const named = getNamedType(type);
  return isObjectType(named) && "pageInfo" in named.getFields();
};

/** Returns the type of a list's entries. */
export function findNodeType(field: Field): GraphQLObjectType {
  const named = getNamedType(field.type) as GraphQLObjectType;
  const nodes = isConnection(field) && named.getFields()["nodes"];
  return nodes ? (getNamedType(nodes.type) as GraphQLObjectType) : named;
}
