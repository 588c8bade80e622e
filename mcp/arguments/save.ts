import type { GraphqlClient } from "../api/graphql.ts";
import { ToolError } from "../errors.ts";
import { lookUpNames, type NameArguments } from "./look-up-names.ts";
import { nameResolver } from "./resolve-names.ts";

/** The documents that create a kind of thing, and change one. */
interface Saving {
  create: string;
  update: string;
}

/**
 * Creates a thing, or changes the one with this id. Members that are undefined stay as they are.
 * @returns the row as it is then @throws ToolError where nothing is to change
 */
export async function save<Row>(
  graphql: GraphqlClient,
  { create, update }: Saving,
  id: string | undefined,
  values: Record<string, unknown>,
): Promise<Row> {
  const input = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  if (id !== undefined && Object.keys(input).length === 0)
    throw new ToolError("Nothing to change was given. Call again with a field.");
  const { saved } =
    id === undefined
      ? await graphql<{ saved: { row: Row } }>(create, { input })
      : await graphql<{ saved: { row: Row } }>(update, { id, input });
  return saved.row;
}

/** A value that a new thing needs. @throws ToolError that names the parameter */
export function needed<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new ToolError(`${name}: a new one needs it. Add it and call again.`);
  return value;
}

/** Looks up the names of a call, and answers what resolves each. */
export async function resolverOf(graphql: GraphqlClient, named: NameArguments) {
  return nameResolver(graphql, named, await lookUpNames(graphql, named));
}
