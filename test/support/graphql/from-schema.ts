import { randomUUID } from "node:crypto";
import {
  type GraphQLArgument,
  type GraphQLInputField,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
} from "graphql";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import type { Workspace } from "../workspace.ts";
import { MUTATION_SAMPLES } from "./mutations.ts";

type Args = Record<string, unknown>;
type Taken = GraphQLArgument | GraphQLInputField;

const mutations = combinedSchema.getMutationType()?.getFields() ?? {};
const inputOf = (mutation: string): readonly GraphQLInputField[] => {
  const input = mutations[mutation]?.args.find(({ name }) => name === "input");
  const type = input && getNamedType(input.type);
  return isInputObjectType(type) ? Object.values(type.getFields()) : [];
};

/** Values of types for which no existing row has a value. */
const VALUES: Record<string, () => unknown> = {
  ID: randomUUID,
  String: () => `n ${randomUUID()}`,
  Float: () => 3,
  Int: () => 3,
  Boolean: () => true,
  DateTime: () => "2025-12-31T09:00:00.000Z",
  TimelessDate: () => "2027-01-01",
};
const NAMED: Record<string, () => unknown> = { id: randomUUID, color: () => "#123456" };

/**
 * Returns the entity that a member such as `projectId` or `teamIds` refers to, if a mutation can create the entity.
 */
export const findReferredEntity = (name: string): string | undefined => {
  const [, entity = ""] = /^(.+)Ids?$/.exec(name) ?? [];
  return mutations[`${entity}Create`] && entity;
};

/** Creates a row of an entity with a mutation. Returns the id. */
async function made(space: Workspace, entity: string): Promise<string> {
  const args = (await MUTATION_SAMPLES[`${entity}Create`]?.(space)) ?? {};
  return (await space.does(`${entity}Create`, args, `${entity} { id }`))[entity].id;
}

/** Creates a value for an argument or a member of an input, by name and type. */
export async function createValue(space: Workspace, { name, type }: Taken): Promise<unknown> {
  const entity = findReferredEntity(name);
  const value = entity ? await made(space, entity) : (NAMED[name] ?? VALUES[getNamedType(type).name])?.();
  return isListType(getNullableType(type)) ? [value] : value;
}

/**
 * Returns a function that creates the arguments of a mutation, on a new row: the required members, or else the first
 * member.
 */
export function createSampleBuilder(mutation: string): (space: Workspace) => Promise<Args> {
  return (space) => sampleIn(space, mutation);
}

async function sampleIn(space: Workspace, mutation: string): Promise<Args> {
  const args: Args = {};
  const members = inputOf(mutation);
  const required = members.filter(isRequiredInputField);
  const [first] = members;
  const input: Args = {};
  for (const each of required.length > 0 || !first ? required : [first])
    input[each.name] = await createValue(space, each);
  const entity = mutation.replace(/(Create|Update|Delete|Archive|Unarchive)$/, "");
  for (const arg of mutations[mutation]?.args.filter(isRequiredArgument) ?? []) {
    if (arg.name === "input") args["input"] = input;
    else args[arg.name] = arg.name === "id" ? await made(space, entity) : await createValue(space, arg);
  }
  return args;
}

/** Finds a member of a mutation's input. */
export const findInputMember = (mutation: string, name: string): GraphQLInputField | undefined =>
  inputOf(mutation).find((each) => each.name === name);
