import { expect } from "chai";
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from "graphql";
import { combinedSchema, getIntrospectionSchema } from "../../server/graphql/schema.ts";

type Described = [name: string, description: string | null | undefined];

/** Returns types, fields, enum values, input fields and directives with descriptions, by name. */
const members = (from: GraphQLSchema): Described[] => [
  ...types(from).map((type): Described => [type.name, type.description]),
  ...types(from).flatMap((type) =>
    partsOf(type).map((part): Described => [`${type.name}.${part.name}`, part.description]),
  ),
];

/** Returns every argument, named Type.field(argument). */
const argumentsOf = (from: GraphQLSchema): Described[] =>
  types(from).flatMap((type) =>
    isObjectType(type) || isInterfaceType(type)
      ? Object.values(type.getFields()).flatMap((field) =>
          field.args.map(({ name, description }): Described => [`${type.name}.${field.name}(${name})`, description]),
        )
      : [],
  );

const types = (from: GraphQLSchema): GraphQLNamedType[] =>
  Object.values(from.getTypeMap()).filter(({ name }) => !name.startsWith("__"));

function partsOf(type: GraphQLNamedType): readonly { name: string; description?: string | null | undefined }[] {
  if (isEnumType(type)) return type.getValues();
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
}

/** Returns true if the description is a sentence with at least one word that is not in the name. */
function explains([name, description]: Described): boolean {
  if (!description || !/^\S.*[.]$/s.test(description)) return false;
  const known = new Set([...(name.match(/[A-Za-z][a-z]*/g) ?? []).map((word) => word.toLowerCase()), "the", "a", "of"]);
  return (description.toLowerCase().match(/[\w-]+/g) ?? []).filter((word) => !known.has(word)).length > 0;
}

for (const [title, shown] of [
  ["its own names", getIntrospectionSchema("native")],
  ["Linear's names", combinedSchema],
] as const) {
  describe(`the schema with ${title}`, () => {
    it("describes every type, field, enum value and input field", () => {
      expect(members(shown).filter(([, description]) => !description?.trim())).to.deep.equal([]);
    });

    it("describes every argument in a sentence with more information than the name", () => {
      expect(argumentsOf(shown).length).to.be.greaterThan(300);
      expect(argumentsOf(shown).filter((one) => !explains(one))).to.deep.equal([]);
    });
  });
}
