import { type GraphQLArgument, type GraphQLField, isObjectType } from "graphql";
import { type FieldIssue, invalidInput } from "../../errors.ts";
import type { Ready } from "../request.ts";
import { schema } from "../schema.ts";

/** True for an argument that the schema marks as one that this server does not act on (`@refused`). */
export const isRefused = ({ astNode }: GraphQLArgument): boolean =>
  astNode?.directives?.some(({ name }) => name.value === "refused") ?? false;

/** The names of refused arguments, by the fields that have any. */
const REFUSED = new Map<GraphQLField<unknown, unknown>, readonly string[]>();
for (const type of Object.values(schema.getTypeMap())) {
  for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
    const names = field.args.filter(isRefused).map(({ name }) => name);
    if (names.length > 0) REFUSED.set(field, names);
  }
}

/** @throws invalidInput naming every argument that asks for something which would not be done. */
export function checkRefusedArguments({ operation, args }: Ready): void {
  const issues = operation.fieldArguments.flatMap(({ definition }, argumentIndex) =>
    issuesOf(REFUSED.get(definition), args[argumentIndex] ?? {}),
  );
  if (issues.length > 0) throw invalidInput(issues);
}

const issuesOf = (names: readonly string[] = [], given: Readonly<Record<string, unknown>>): FieldIssue[] =>
  names
    .filter((name) => (given[name] ?? false) !== false)
    .map((path) => ({ path, message: "this server does not do that; leave it out" }));
