import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from "graphql";
import type { Selection } from "../read/selection.ts";
import type { Ready, Texts } from "./request.ts";
import { schema } from "./schema.ts";

type Args = Ready["args"];

/** The definitions of `__schema` and `__type`, by name. */
export const META = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map((definition) => [definition.name, definition]));

/** Longer than this, in ms, nobody waits for the whole schema to be told. */
const TURN_MS = 10;

/** JSON text of each introspection field of a query by response key: graphql-js knows the answers, and is asked in turns. */
export async function introspect({ operation, args }: Ready): Promise<Texts> {
  const texts: Texts = new Map();
  for (const root of operation.introspection) {
    const found = root.field === "__schema" ? schema : schema.getType(String(args[root.slot]?.name));
    texts.set(root.key, found ? await inTurns(root, found, args) : "null");
  }
  return texts;
}

/** The members of a root field, with a turn for others whenever it takes long: there are hundreds of types. */
async function inTurns({ type, children }: Selection, source: unknown, args: Args): Promise<string> {
  const members: string[] = [];
  let begun = performance.now();
  for (const child of children) {
    const value = valueOfField(schema.getType(type) as GraphQLObjectType, child, source, args);
    const parts: string[] = [];
    for (const each of Array.isArray(value) ? value : []) {
      parts.push(objectText(child, each, args));
      if (performance.now() - begun < TURN_MS) continue;
      await new Promise((resume) => setImmediate(resume));
      begun = performance.now();
    }
    members.push(`"${child.key}":${Array.isArray(value) ? `[${parts.join()}]` : fieldText(child, source, type, args)}`);
  }
  return `{${members.join()}}`;
}

const objectText = ({ type, children }: Selection, source: unknown, args: Args): string =>
  `{${children.map((child) => `"${child.key}":${fieldText(child, source, type, args)}`).join()}}`;

function fieldText(selection: Selection, source: unknown, parent: string, args: Args): string {
  if (selection.constant !== undefined) return selection.constant;
  const type = schema.getType(parent) as GraphQLObjectType;
  const value = valueOfField(type, selection, source, args);
  return valueText(type.getFields()[selection.field]?.type, value, selection, args);
}

function valueText(type: GraphQLOutputType | undefined, value: unknown, selection: Selection, args: Args): string {
  if (value === null || value === undefined || !type) return "null";
  if (isNonNullType(type)) return valueText(type.ofType, value, selection, args);
  if (isListType(type))
    return `[${[...(value as Iterable<unknown>)].map((each) => valueText(type.ofType, each, selection, args)).join()}]`;
  const named = getNamedType(type);
  if (isObjectType(named)) return objectText(selection, value, args);
  return JSON.stringify("serialize" in named ? named.serialize(value) : value);
}

/** Introspection has resolvers that need nothing but what they are asked about. */
const valueOfField = (type: GraphQLObjectType, { field, slot }: Selection, source: unknown, args: Args): unknown =>
  type.getFields()[field]?.resolve?.(source, args[slot] ?? {}, undefined, { schema } as never);
