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
import { schema } from "../../../server/graphql/schema.ts";

type Field = GraphQLField<unknown, unknown>;

/** A list somewhere in the schema: where, of what, and a document that asks for it. */
export interface ListCase {
  name: string;
  node: string;
  query: string;
}

/** Values for arguments that must be given. */
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

/** The arguments that a field must be given, each with a value. */
export const requiredArguments = ({ args }: Field): string[] =>
  args.filter(isRequiredArgument).map(({ name }) => `${name}: ${REQUIRED[name]}`);

/** Every list that can be asked for at the root, and every list below one of those, in one of the orders. */
export function listCases(orderBy = "createdAt"): ListCase[] {
  const roots = fieldsOf(schema.getQueryType()).filter(
    (root) => !isConstant(root) && isObjectType(getNamedType(root.type)),
  );
  return roots.flatMap((root) => {
    const node = nodeOf(root);
    const own = { name: root.name, node: node.name, query: `{ ${textOf(root, orderBy)} }` };
    const below = listsIn(node).map((field) => ({
      name: `${root.name} > ${field.name}`,
      node: nodeOf(field).name,
      query: `{ ${textOf(root, orderBy, textOf(field, orderBy))} }`,
    }));
    const asked = isConnection(root) ? [own, ...below] : below;
    return root.args.some(({ name }) => name === "id") || root.name === "rateLimitStatus" ? [] : asked;
  });
}

/**
 * Selects the rows that a root field's filter left: the ids of its nodes, or, of a field that counts rows, all its
 * numbers.
 */
export function shownOf(field: Field, key = "id"): string {
  if ("nodes" in (getNamedType(field.type) as GraphQLObjectType).getFields()) return `nodes { ${key} }`;
  const numbers = (type: GraphQLObjectType): string =>
    fieldsOf(type)
      .flatMap((each) => {
        const named = getNamedType(each.type);
        // A row that a value leads to has numbers of its own, which are not of what passed.
        if (isObjectType(named)) return "id" in named.getFields() ? [] : `${each.name} { ${numbers(named)} }`;
        return ["Int", "Float"].includes(named.name) ? each.name : [];
      })
      .join(" ");
  return numbers(nodeOf(field));
}

/** Every type with the lists it has, that are not always empty. */
const listsIn = (type: GraphQLObjectType): Field[] =>
  fieldsOf(type).filter((field) => !isConstant(field) && (isConnection(field) || isListOfObjects(field)));

/** A selection of a field: every leaf of its entries, and what more is asked for. */
function textOf(field: Field, orderBy: string, more = ""): string {
  const entry = `${leavesOf(nodeOf(field)).join(" ")} ${more}`;
  const args = requiredArguments(field);
  if (!isConnection(field)) return `${field.name}${args.length > 0 ? `(${args.join(", ")})` : ""} { ${entry} }`;
  if (field.args.some(({ name }) => name === "orderBy")) args.push(`orderBy: ${orderBy}`);
  return `${field.name}(${[...args, "first: 10"].join(", ")}) { nodes { ${entry} } pageInfo { hasNextPage endCursor } }`;
}

/** Names of a type's fields that are no objects and not always empty. */
const leavesOf = (type: GraphQLObjectType): string[] =>
  fieldsOf(type)
    .filter((field) => isLeafType(getNamedType(field.type)) && !isConstant(field))
    .map(({ name }) => name);

export const fieldsOf = (type: GraphQLObjectType | null | undefined): Field[] => Object.values(type?.getFields() ?? {});

const isListOfObjects = ({ type }: Field): boolean =>
  isListType(getNullableType(type)) && isObjectType(getNamedType(type));

const isConnection = ({ type }: Field): boolean => {
  const named = getNamedType(type);
  return isObjectType(named) && "pageInfo" in named.getFields();
};

/** The type of a list's members. */
export function nodeOf(field: Field): GraphQLObjectType {
  const named = getNamedType(field.type) as GraphQLObjectType;
  const nodes = isConnection(field) && named.getFields()["nodes"];
  return nodes ? (getNamedType(nodes.type) as GraphQLObjectType) : named;
}
