import {
  type ASTNode,
  astFromValue,
  execute,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  print,
} from "graphql";
import { isConstant } from "../../../server/graphql/document/constant.ts";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import type { Tenant } from "../server.ts";
import { findNodeType, listFields } from "./documents.ts";

type Source = Readonly<Record<string, any>>;

/** All entries of a list for some arguments, in order. */
interface Entries {
  edges: { cursor: string; node: Source }[];
}

/** Root fields that return one object by id, by the type of the object. */
const BY_ID = new Map(
  listFields(combinedSchema.getQueryType())
    .filter(({ args, type }) => args.some(({ name }) => name === "id") && isObjectType(getNamedType(type)))
    .map(({ name, type }) => [getNamedType(type).name, name]),
);

const isReferred = (type: string): boolean => BY_ID.has(type) || type === "Organization" || type === "RecordedUser";

/**
 * Creates a slow reference implementation of queries: graphql-js executes a document with a resolver that reads each
 * object with a simple query and cuts pages itself. `payload` is the expected payload of a mutation.
 */
export function createReference(tenant: Tenant) {
  const objects = new Map<string, Promise<Source>>();
  const load = (type: string, id: string): Promise<Source> => {
    const key = `${type} ${id}`;
    const known = objects.get(key) ?? ask(tenant, type, id);
    objects.set(key, known);
    return known;
  };
  return async (query: string, variables: Source, payload?: Source): Promise<unknown> => {
    const fieldResolver = (source: Source, args: Source, _: unknown, info: GraphQLResolveInfo) =>
      resolve({ tenant, load }, source ?? (payload && { [info.fieldName]: payload }), args, info);
    const { data, errors } = await execute({
      schema: combinedSchema,
      document: parse(query),
      variableValues: variables,
      fieldResolver: fieldResolver as never,
    });
    if (errors?.[0]) throw errors[0];
    return data;
  };
}

interface Known {
  tenant: Tenant;
  load(type: string, id: string): Promise<Source>;
}

async function resolve({ tenant, load }: Known, source: Source | undefined, args: Source, info: GraphQLResolveInfo) {
  const named = getNamedType(info.returnType);
  const field = info.parentType.getFields()[info.fieldName] as GraphQLField<unknown, unknown>;
  const value = source ? source[info.fieldName] : await rootValue(tenant, field, args);
  if (value === null || value === undefined || isLeafType(named) || isConstant(field)) return value;
  if (isConnection(named as GraphQLObjectType)) return pageOf(value, args, info.fieldName);
  if (!isReferred(named.name)) return value;
  return Array.isArray(value) ? Promise.all(value.map(({ id }) => load(named.name, id))) : load(named.name, value.id);
}

/** Resolves a root field: a reference to an object, or the whole list. */
async function rootValue(tenant: Tenant, field: GraphQLField<unknown, unknown>, given: Source): Promise<unknown> {
  const args = Object.entries(given).filter(([name]) => name !== "first" && name !== "last" && name !== "after");
  const typeOf = (name: string) => field.args.find((each) => each.name === name)?.type as GraphQLInputType;
  const passed = args
    .map(([name, value]) => `${name}: ${print(astFromValue(value, typeOf(name)) as ASTNode)}`)
    .join(", ");
  const query = `{ ${field.name}${passed && `(${passed})`} ${textOf(field)} }`;
  return (await tenant.gql(query))[field.name];
}

/** Reads one object with a simple query. */
async function ask({ gql }: Tenant, type: string, id: string): Promise<Source> {
  const members = objectText(combinedSchema.getType(type) as GraphQLObjectType);
  if (type === "Organization") return (await gql(`{ organization ${members} }`)).organization;
  if (type === "RecordedUser") {
    const { nodes } = (await gql(`{ recordedUsers(first: 20) { nodes ${members} } }`)).recordedUsers;
    return nodes.find((each: Source) => each["id"] === id);
  }
  const root = String(BY_ID.get(type));
  return (await gql(`query ($id: String!) { ${root}(id: $id) ${members} }`, { id }))[root];
}

/** Selects every field of a type: leaves, and the ids of linked objects. */
const objectText = (type: GraphQLObjectType): string =>
  `{ ${listFields(type)
    .map((field) => `${field.name} ${textOf(field)}`)
    .join(" ")} }`;

function textOf(field: GraphQLField<unknown, unknown>): string {
  const type = getNamedType(field.type);
  if (isLeafType(type)) return "";
  if (!isObjectType(type)) return "{ __typename }";
  if (isConstant(field)) return leavesText(type, isNonNullType(field.type) && !isListType(getNullableType(field.type)));
  if (!isConnection(type)) return isReferred(type.name) ? "{ id }" : objectText(type);
  const node = findNodeType(field);
  const more = listFields(type).filter((each) => isLeafType(getNamedType(each.type)) || isConstant(each));
  const rest = more.map((each) => `${each.name} ${textOf(each)}`).join(" ");
  return `{ edges { cursor node ${isReferred(node.name) ? "{ id }" : objectText(node)} } ${rest} }`;
}

/** Selects the leaves of an object that is always empty. */
function leavesText(type: GraphQLObjectType, whole: boolean): string {
  const leaves = listFields(type).filter((each) => whole && isLeafType(getNamedType(each.type)));
  return `{ __typename ${leaves.map(({ name }) => name).join(" ")} }`;
}

const isConnection = (type: GraphQLObjectType): boolean => "pageInfo" in type.getFields();

/** Cuts a page from a whole list. */
function pageOf({ edges, ...rest }: Entries, { first, last }: Source, name: string): Source {
  const shown = last ? edges.slice(-last) : edges.slice(0, first ?? 50);
  const more = shown.length < edges.length;
  // The change log returns a cursor for an empty page, too.
  const nowhere = name === "changes" ? "0" : null;
  return {
    ...rest,
    nodes: shown.map(({ node }) => node),
    edges: shown,
    pageInfo: {
      hasNextPage: more && !last,
      hasPreviousPage: more && Boolean(last),
      startCursor: shown[0]?.cursor ?? nowhere,
      endCursor: shown.at(-1)?.cursor ?? nowhere,
    },
  };
}
