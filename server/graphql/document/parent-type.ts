import {
  type GraphQLFieldMap,
  type GraphQLObjectType,
  type GraphQLUnionType,
  isAbstractType,
  isUnionType,
} from "graphql";
import { schema } from "../schema.ts";

/** A type that fields are selected on. */
export type ParentType = GraphQLObjectType | GraphQLUnionType;

/** A union has the fields of all its members: its values are constant, so that none of them is ever chosen. */
export const fieldsIn = (type: ParentType): GraphQLFieldMap<unknown, unknown> =>
  isUnionType(type) ? Object.assign({}, ...type.getTypes().map((each) => each.getFields())) : type.getFields();

/** True when a fragment applies to values of a type. */
export const appliesTo = (parent: ParentType) => (condition: string) => {
  if (condition === parent.name || isUnionType(parent)) return true;
  const type = schema.getType(condition);
  return isAbstractType(type) && schema.isSubType(type, parent);
};
