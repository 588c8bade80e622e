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
import { combinedSchema } from "../../../server/graphql/schema.ts";
import type { Workspace } from "../workspace.ts";
import { uniqueName } from "./mutations.ts";

/** Argument or field of an input that takes a value. */
export type InputPosition = GraphQLArgument | GraphQLInputField;
const isRequired = (field: InputPosition) =>
  ("isDeprecated" in field ? false : "args" in field) ||
  isRequiredArgument(field as GraphQLArgument) ||
  isRequiredInputField(field as GraphQLInputField);

/** Position of a value in a document: the root field, and the path to the value. */
export interface InputPlace {
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

/** Builds the arguments of a root field: the required arguments, and a value at a place. */
export function buildPlaceArguments(
  space: Workspace,
  { kind, root, path }: InputPlace,
  value: unknown,
): Record<string, unknown> {
  const fields =
    (kind === "query" ? combinedSchema.getQueryType() : combinedSchema.getMutationType())?.getFields()[root]?.args ??
    [];
  const fill = (all: readonly InputPosition[], rest: readonly string[] | undefined): Record<string, unknown> =>
    Object.fromEntries(
      all.flatMap((field) => {
        const here = rest?.[0] === field.name ? rest.slice(1) : undefined;
        if (!here && !isRequired(field)) return [];
        return [[field.name, filled(field, here)]];
      }),
    );
  const filled = (field: InputPosition, rest: readonly string[] | undefined): unknown => {
    if (rest?.length === 0) return value;
    const type = getNamedType(field.type);
    const one = isInputObjectType(type)
      ? fill(Object.values(type.getFields()), rest)
      : isEnumType(type)
        ? type.getValues()[0]?.name
        : field.name === "name"
          ? uniqueName()
          : (PLAIN[field.name] ?? space.teamId);
    return isListType(getNullableType(field.type)) && !Array.isArray(one) ? [one] : one;
  };
  return fill(fields, path);
}

/** Returns arguments with a new value at a path; in lists, the first entry on the path changes. */
export function replaceValue(
  args: unknown,
  [name = "", ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const all = args as Record<string, unknown>;
  if (rest.length === 0) return { ...all, [name]: value };
  const here = all[name];
  return {
    ...all,
    [name]: Array.isArray(here) ? [replaceValue(here[0], rest, value)] : replaceValue(here, rest, value),
  };
}

/** Writes a value as a GraphQL literal. A lone surrogate is written as an escape sequence. */
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

/** Builds a document that calls the root field of a place, with inline arguments or variables. */
export function buildDocument({ kind, root }: InputPlace, args: Record<string, unknown>, inline: boolean) {
  const field = (kind === "query" ? combinedSchema.getQueryType() : combinedSchema.getMutationType())?.getFields()[
    root
  ];
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

/** Selects some field of the response, so that the server compiles a statement. */
function selected(type: unknown, otherwise: string): string {
  const named = type ? getNamedType(type as never) : undefined;
  if (!isObjectType(named)) return otherwise;
  const fields = Object.values(named.getFields());
  if ("nodes" in named.getFields())
    return `{ nodes ${selected(named.getFields()["nodes"]?.type, otherwise)} pageInfo { hasNextPage } }`;
  const leaf = fields.find((field) => isLeafType(getNamedType(field.type)) && field.args.length === 0);
  return leaf ? `{ ${leaf.name} }` : otherwise;
}
