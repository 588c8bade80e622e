import { type FieldNode, type GraphQLField, getArgumentValues, visit } from "graphql";
import { shaperOf } from "../plan/plan-key.ts";

/** A field that takes arguments, at its first place in the document. */
export interface FieldArguments {
  definition: GraphQLField<unknown, unknown>;
  node: FieldNode;
  /** Its coerced arguments, where they are the same each time. */
  fixed?: Readonly<Record<string, unknown>>;
  /** The part of its arguments that the SQL may depend on. */
  shape(args: Readonly<Record<string, unknown>>): string;
}

/** The arguments of a field. They are coerced here and now when they hold nothing that varies. */
export function argumentsOfField(definition: FieldArguments["definition"], node: FieldNode): FieldArguments {
  let varies = false;
  const vary = () => {
    varies = true;
  };
  // A text may be a duration, which means another moment each time.
  visit(node, { SelectionSet: () => false, Variable: vary, StringValue: vary });
  const shape = shaperOf(definition);
  if (varies) return { definition, node, shape };
  const fixed = getArgumentValues(definition, node);
  const always = shape(fixed);
  return { definition, node, fixed, shape: () => always };
}

/** Coerces the arguments of every field that takes any. @throws GraphQLError for a value of the wrong type. */
export const argumentsOf = (fields: readonly FieldArguments[], variables: Readonly<Record<string, unknown>>) =>
  fields.map(({ definition, node, fixed }) => fixed ?? getArgumentValues(definition, node, variables));
