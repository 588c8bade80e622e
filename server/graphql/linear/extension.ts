import { readFileSync } from "node:fs";
import {
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type ObjectTypeExtensionNode,
  parse,
  visit,
} from "graphql";
import { getOwnProperty } from "../../../formats/own.ts";
import { withDerivedFields } from "../derived-fields.ts";
import { addDescription, withDescriptions } from "../descriptions.ts";
import { markConstant } from "../document/constant.ts";
import { splitTypeName } from "../type-words.ts";

/** Constant values of fields in linear.graphql. Fields that are not listed have an empty value. */
const VALUES: Readonly<Record<string, unknown>> = {
  "Organization.releaseChannel": "public",
  "Team.cyclesEnabled": true,
  "Team.issueEstimationType": "notUsed",
  "Team.timezone": "UTC",
  "Team.visibility": "public",
  "User.avatarBackgroundColor": "#bec2c8",
  "User.canAccessAnyPublicTeam": true,
  "User.isAssignable": true,
  "User.isMentionable": true,
};

const file = parse(readFileSync(new URL("./linear.graphql", import.meta.url), "utf8"), { noLocation: true });
const written = withDerivedFields(file);
const enums = new Set(written.definitions.filter(({ kind }) => kind === Kind.ENUM_TYPE_DEFINITION).map(nameOf));

/**
 * Returns the names that only Linear's clients use, as an extension of the native schema. If the native schema has a
 * type of the same name, Linear's empty type is left out.
 */
export function buildLinearExtension(native: DocumentNode): DocumentNode {
  const own = new Set(native.definitions.map(nameOf));
  const isTaken = (node: DefinitionNode) => node.kind === Kind.OBJECT_TYPE_DEFINITION && own.has(nameOf(node));
  const definitions = written.definitions.filter((node) => !isTaken(node));
  // A search for issues returns `IssueSearchResult`, so this type also gets the fields that extend `Issue`.
  const issue = definitions.find((node) => node.kind === Kind.OBJECT_TYPE_EXTENSION && nameOf(node) === "Issue");
  const linear = visit(
    { ...written, definitions },
    {
      ObjectTypeExtension: (type) => {
        const more = nameOf(type) === "IssueSearchResult" ? (issue as ObjectTypeExtensionNode).fields : [];
        return { ...type, fields: withValues(nameOf(type), [...(type.fields ?? []), ...(more ?? [])]) };
      },
      ObjectTypeDefinition: (type) => ({ ...type, fields: withValues(nameOf(type), type.fields ?? []) }),
      EnumValueDefinition: (value) => addDescription(value, sentence(splitTypeName(value.name.value))),
    },
  );
  return withDescriptions(linear);
}

function nameOf(node: DefinitionNode): string {
  return ("name" in node && node.name?.value) || "";
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** Adds a description to each field that states the field's constant value. */
const withValues = (type: string, fields: readonly FieldDefinitionNode[]): FieldDefinitionNode[] =>
  fields.map((field) => addDescription(field, `Always ${constantWords(`${type}.${field.name.value}`, field)}.`));

/** Words for the empty values of scalars. Texts, lists and objects are not included. */
const EMPTY: Readonly<Record<string, string>> = { Boolean: "false", Int: "0", Float: "0" };

function constantWords(name: string, { type }: FieldDefinitionNode): string {
  if (Object.hasOwn(VALUES, name)) return String(getOwnProperty(VALUES, name));
  if (type.kind !== Kind.NON_NULL_TYPE) return "null";
  if (type.type.kind === Kind.LIST_TYPE) return "empty";
  const { value } = type.type.name;
  return enums.has(value) ? "the same" : (getOwnProperty(EMPTY, value) ?? "empty");
}

/** Marks every field of the extension as a constant. */
export function markLinearFieldsConstant(schema: GraphQLSchema, linear: DocumentNode): void {
  for (const definition of linear.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_EXTENSION && definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    const type = schema.getType(definition.name.value);
    const fields = isObjectType(type) ? type.getFields() : {};
    for (const { name } of definition.fields ?? []) {
      const field = getOwnProperty(fields, name.value);
      if (field) markConstant(field, getOwnProperty(VALUES, `${type}.${field.name}`));
    }
  }
}
