import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from "graphql";
import type { Selection } from "../../read/selection.ts";
import type { Ready, Texts } from "../request.ts";

type Args = Ready["args"];

/** The definitions of `__schema` and `__type`, by name. */
export const META = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map((definition) => [definition.name, definition]));

/** Longer than this, in ms, nobody waits for the whole schema to be told. */
const TURN_MS = 10;

/** What is described, and the arguments of the fields that ask. */
interface Asked {
  schema: GraphQLSchema;
  args: Args;
}

/** JSON text of each introspection field of a query by response key: graphql-js knows the answers, and is asked in turns. */
export async function introspect({ operation, args }: Ready, schema: GraphQLSchema): Promise<Texts> {
  const texts: Texts = new Map();
  for (const root of operation.introspection) {
    const found = root.field === "__schema" ? schema : schema.getType(String(args[root.slot]?.name));
    texts.set(root.key, found ? await inTurns(root, found, { schema, args }) : "null");
  }
  return texts;
}

/** The members of a root field, with a turn for others whenever it takes long: there are hundreds of types. */
async function inTurns({ type, children }: Selection, source: unknown, asked: Asked): Promise<string> {
  const members: string[] = [];
  let begun = performance.now();
  for (const child of children) {
    const value = valueOfField(type, child, source, asked);
    const parts: string[] = [];
    for (const each of Array.isArray(value) ? value : []) {
      parts.push(objectText(child, each, asked));
      if (performance.now() - begun < TURN_MS) continue;
      await new Promise((resume) => setImmediate(resume));
      begun = performance.now();
    }
    members.push(
      `"${child.key}":${Array.isArray(value) ? `[${parts.join()}]` : fieldText(child, source, type, asked)}`,
    );
  }
  return `{${members.join()}}`;
}

const objectText = ({ type, children }: Selection, source: unknown, asked: Asked): string =>
  `{${children.map((child) => `"${child.key}":${fieldText(child, source, type, asked)}`).join()}}`;

function fieldText(selection: Selection, source: unknown, parent: string, asked: Asked): string {
  if (selection.constant !== undefined) return selection.constant;
  const type = fieldOf(parent, selection, asked)?.type;
  return valueText(type, valueOfField(parent, selection, source, asked), selection, asked);
}

function valueText(type: GraphQLOutputType | undefined, value: unknown, selection: Selection, asked: Asked): string {
  if (value === null || value === undefined || !type) return "null";
  if (isNonNullType(type)) return valueText(type.ofType, value, selection, asked);
  if (isListType(type))
    return `[${[...(value as Iterable<unknown>)].map((each) => valueText(type.ofType, each, selection, asked)).join()}]`;
  const named = getNamedType(type);
  if (isObjectType(named)) return objectText(selection, value, asked);
  return JSON.stringify("serialize" in named ? named.serialize(value) : value);
}

/** The field of a type that describes the schema, such as `__Type`; every schema has the same ones. */
const fieldOf = (parent: string, { field }: Selection, { schema }: Asked) =>
  (schema.getType(parent) as GraphQLObjectType).getFields()[field];

/** Introspection has resolvers that need nothing but what they are asked about. */
const valueOfField = (parent: string, selection: Selection, source: unknown, asked: Asked): unknown =>
  fieldOf(parent, selection, asked)?.resolve?.(source, asked.args[selection.slot] ?? {}, undefined, {
    schema: asked.schema,
  } as never);
