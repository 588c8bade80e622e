import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { getOwnProperty } from "../../../formats/own.ts";
import type { Selection } from "../../read/selection.ts";
import type { ReadyOperation, RootFieldJsonByKey } from "../request.ts";

type Args = ReadyOperation["args"];

/** Maximum time in milliseconds for which an introspection may block the event loop at once. */
const SLICE_MS = 10;

/** The described schema, and the coerced arguments of the document. */
interface Context {
  schema: GraphQLSchema;
  args: Args;
}

/** Returns the JSON text of each introspection field of a query, by response key. graphql-js provides the resolvers. */
export async function introspect(
  { operation, args }: ReadyOperation,
  schema: GraphQLSchema,
): Promise<RootFieldJsonByKey> {
  const texts: RootFieldJsonByKey = new Map();
  for (const root of operation.introspection) {
    const found = root.field === "__schema" ? schema : schema.getType(String(args[root.argumentIndex]?.name));
    texts.set(root.key, found ? await inSlices(root, found, { schema, args }) : "null");
  }
  return texts;
}

/**
 * Writes the members of a root field, and yields to the event loop after each slice, because the schema has hundreds
 * of types.
 */
async function inSlices({ type, children }: Selection, source: unknown, context: Context): Promise<string> {
  const members: string[] = [];
  let begun = performance.now();
  for (const child of children) {
    const value = valueOfField(type, child, source, context);
    const parts: string[] = [];
    for (const each of Array.isArray(value) ? value : []) {
      parts.push(objectText(child, each, context));
      if (performance.now() - begun < SLICE_MS) continue;
      await new Promise((resume) => setImmediate(resume));
      begun = performance.now();
    }
    members.push(
      `"${child.key}":${Array.isArray(value) ? `[${parts.join()}]` : fieldText(child, source, type, context)}`,
    );
  }
  return `{${members.join()}}`;
}

const objectText = ({ type, children }: Selection, source: unknown, context: Context): string =>
  `{${children.map((child) => `"${child.key}":${fieldText(child, source, type, context)}`).join()}}`;

function fieldText(selection: Selection, source: unknown, parent: string, context: Context): string {
  if (selection.constant !== undefined) return selection.constant;
  const type = fieldOf(parent, selection, context)?.type;
  return valueText(type, valueOfField(parent, selection, source, context), selection, context);
}

function valueText(
  type: GraphQLOutputType | undefined,
  value: unknown,
  selection: Selection,
  context: Context,
): string {
  if (value === null || value === undefined || !type) return "null";
  if (isNonNullType(type)) return valueText(type.ofType, value, selection, context);
  if (isListType(type))
    return `[${[...(value as Iterable<unknown>)].map((each) => valueText(type.ofType, each, selection, context)).join()}]`;
  const named = getNamedType(type);
  if (isObjectType(named)) return objectText(selection, value, context);
  return JSON.stringify("serialize" in named ? named.serialize(value) : value);
}

/** Returns a field of an introspection type such as `__Type`. All schemas have the same introspection types. */
const fieldOf = (parent: string, { field }: Selection, { schema }: Context) =>
  getOwnProperty((schema.getType(parent) as GraphQLObjectType).getFields(), field);

/** The introspection resolvers of graphql-js use only the source, the arguments and the schema. */
const valueOfField = (parent: string, selection: Selection, source: unknown, context: Context): unknown =>
  fieldOf(parent, selection, context)?.resolve?.(source, context.args[selection.argumentIndex] ?? {}, undefined, {
    schema: context.schema,
  } as never);
