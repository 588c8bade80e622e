import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from "graphql";
import { schema } from "../../../server/graphql/schema.ts";
import type { Workspace } from "../workspace.ts";
import { fresh } from "./mutations.ts";

/** An argument or field that takes a value. */
export type Taking = GraphQLArgument | GraphQLInputField;
const isRequired = (field: Taking) =>
  ("isDeprecated" in field ? false : "args" in field) ||
  isRequiredArgument(field as GraphQLArgument) ||
  isRequiredInputField(field as GraphQLInputField);

/** A place that takes a value: the root field, and the path to it. */
export interface Place {
  kind: "query" | "mutation";
  root: string;
  path: string[];
  type: GraphQLInputType;
}

const PLAIN: Record<string, unknown> = {
  ...{ name: "x", title: "x", body: "x", color: "#000000", url: "https://example.com/", term: "x", type: "started" },
  ...{ startsAt: "2026-01-01T00:00:00Z", endsAt: "2026-01-02T00:00:00Z", position: 1, resourceTypes: [], id: "ENG-1" },
  workflowStates: {},
};

/** Arguments of a root field: what it needs, and the value at the place. */
export function argumentsOf(space: Workspace, { kind, root, path }: Place, value: unknown): Record<string, unknown> {
  const fields = (kind === "query" ? schema.getQueryType() : schema.getMutationType())?.getFields()[root]?.args ?? [];
  const fill = (all: readonly Taking[], rest: readonly string[] | undefined): Record<string, unknown> =>
    Object.fromEntries(
      all.flatMap((field) => {
        const here = rest?.[0] === field.name ? rest.slice(1) : undefined;
        if (!here && !isRequired(field)) return [];
        return [[field.name, filled(field, here)]];
      }),
    );
  const filled = (field: Taking, rest: readonly string[] | undefined): unknown => {
    if (rest?.length === 0) return value;
    const type = getNamedType(field.type);
    const one = isInputObjectType(type)
      ? fill(Object.values(type.getFields()), rest)
      : isEnumType(type)
        ? type.getValues()[0]?.name
        : field.name === "name"
          ? fresh()
          : (PLAIN[field.name] ?? space.teamId);
    return isListType(getNullableType(field.type)) && !Array.isArray(one) ? [one] : one;
  };
  return fill(fields, path);
}

/** Arguments with another value at a path, in the first entry of every list on the way. */
export function withValue(
  args: unknown,
  [name = "", ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const all = args as Record<string, unknown>;
  if (rest.length === 0) return { ...all, [name]: value };
  const here = all[name];
  return { ...all, [name]: Array.isArray(here) ? [withValue(here[0], rest, value)] : withValue(here, rest, value) };
}

/** A value as it stands in a document. Lone halves of characters cannot, but for their escapes. */
function literal(value: unknown, type: GraphQLInputType | undefined): string {
  const named = type && getNamedType(type);
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, type)).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = isInputObjectType(named) ? named.getFields() : {};
    const members = Object.entries(value).map(([name, each]) => `${name}: ${literal(each, fields[name]?.type)}`);
    return `{ ${members.join(", ")} }`;
  }
  if (isEnumType(named) && typeof value === "string" && /^\w+$/.test(value)) return value;
  return JSON.stringify(value);
}

/** A document that calls the root field of a place, with its arguments inline or as variables. */
export function documentOf({ kind, root }: Place, args: Record<string, unknown>, inline: boolean) {
  const field = (kind === "query" ? schema.getQueryType() : schema.getMutationType())?.getFields()[root];
  const given = (field?.args ?? []).filter(({ name }) => name in args);
  const leaf = field && isObjectType(getNamedType(field.type)) ? "{ __typename }" : "";
  const passed = given
    .map(({ name, type }) => `${name}: ${inline ? literal(args[name], type) : `$${name}`}`)
    .join(", ");
  const declared = inline ? "" : `(${given.map(({ name, type }) => `$${name}: ${type}`).join(", ")})`;
  return {
    query: `${kind} ${declared} { ${root}(${passed}) ${selected(field?.type, leaf)} }`,
    ...(!inline && { variables: args }),
  };
}

/** Something of what is answered, so that a statement is made for it. */
function selected(type: unknown, otherwise: string): string {
  const named = type ? getNamedType(type as never) : undefined;
  if (!isObjectType(named)) return otherwise;
  const fields = Object.values(named.getFields());
  if ("nodes" in named.getFields())
    return `{ nodes ${selected(named.getFields()["nodes"]?.type, otherwise)} pageInfo { hasNextPage } }`;
  const leaf = fields.find((field) => isLeafType(getNamedType(field.type)) && field.args.length === 0);
  return leaf ? `{ ${leaf.name} }` : otherwise;
}
