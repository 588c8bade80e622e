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
import { schema } from "../../../server/graphql/schema.ts";
import type { Tenant } from "../server.ts";
import { fieldsOf, nodeOf } from "./documents.ts";

type Source = Readonly<Record<string, any>>;

/** Entries of a list as they were asked for: all of them, in order. */
interface Entries {
  edges: { cursor: string; node: Source }[];
}

/** Root fields that give one object by its id, by the type of the object. */
const BY_ID = new Map(
  fieldsOf(schema.getQueryType())
    .filter(({ args, type }) => args.some(({ name }) => name === "id") && isObjectType(getNamedType(type)))
    .map(({ name, type }) => [getNamedType(type).name, name]),
);

const isReferred = (type: string): boolean => BY_ID.has(type) || type === "Organization" || type === "RecordedUser";

/**
 * A slow second opinion on what a document answers: graphql-js executes it, with a resolver that knows each object as
 * one plain question answered it, and cuts pages itself. `payload` is what a mutation's payload is to be.
 */
export function referenceOf(tenant: Tenant) {
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
      schema,
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

/** The value of a root field: a reference to its object, or its whole list. */
async function rootValue(tenant: Tenant, field: GraphQLField<unknown, unknown>, given: Source): Promise<unknown> {
  const args = Object.entries(given).filter(([name]) => name !== "first" && name !== "last" && name !== "after");
  const typeOf = (name: string) => field.args.find((each) => each.name === name)?.type as GraphQLInputType;
  const passed = args
    .map(([name, value]) => `${name}: ${print(astFromValue(value, typeOf(name)) as ASTNode)}`)
    .join(", ");
  const query = `{ ${field.name}${passed && `(${passed})`} ${textOf(field)} }`;
  return (await tenant.gql(query))[field.name];
}

/** One object, in plain words. */
async function ask({ gql }: Tenant, type: string, id: string): Promise<Source> {
  const members = objectText(schema.getType(type) as GraphQLObjectType);
  if (type === "Organization") return (await gql(`{ organization ${members} }`)).organization;
  if (type === "RecordedUser") {
    const { nodes } = (await gql(`{ recordedUsers(first: 20) { nodes ${members} } }`)).recordedUsers;
    return nodes.find((each: Source) => each["id"] === id);
  }
  const root = String(BY_ID.get(type));
  return (await gql(`query ($id: String!) { ${root}(id: $id) ${members} }`, { id }))[root];
}

/** Every field of a type: leaves, and of what is linked its id. */
const objectText = (type: GraphQLObjectType): string =>
  `{ ${fieldsOf(type)
    .map((field) => `${field.name} ${textOf(field)}`)
    .join(" ")} }`;

function textOf(field: GraphQLField<unknown, unknown>): string {
  const type = getNamedType(field.type);
  if (isLeafType(type)) return "";
  if (!isObjectType(type)) return "{ __typename }";
  if (isConstant(field)) return leavesText(type, isNonNullType(field.type) && !isListType(getNullableType(field.type)));
  if (!isConnection(type)) return isReferred(type.name) ? "{ id }" : objectText(type);
  const node = nodeOf(field);
  const more = fieldsOf(type).filter((each) => isLeafType(getNamedType(each.type)) || isConstant(each));
  const rest = more.map((each) => `${each.name} ${textOf(each)}`).join(" ");
  return `{ edges { cursor node ${isReferred(node.name) ? "{ id }" : objectText(node)} } ${rest} }`;
}

/** The leaves of an object that is always empty. */
function leavesText(type: GraphQLObjectType, whole: boolean): string {
  const leaves = fieldsOf(type).filter((each) => whole && isLeafType(getNamedType(each.type)));
  return `{ __typename ${leaves.map(({ name }) => name).join(" ")} }`;
}

const isConnection = (type: GraphQLObjectType): boolean => "pageInfo" in type.getFields();

/** A page cut from a whole list. */
function pageOf({ edges, ...rest }: Entries, { first, last }: Source, name: string): Source {
  const shown = last ? edges.slice(-last) : edges.slice(0, first ?? 50);
  const more = shown.length < edges.length;
  // The log tells where to go on from an empty page, too.
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
