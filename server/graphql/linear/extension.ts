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
import { readOwn } from "../../../formats/own.ts";
import { withDerivedFields } from "../derived-fields.ts";
import { described, withDescriptions } from "../descriptions.ts";
import { markConstant } from "../document/constant.ts";
import { wordsOf } from "../type-words.ts";

/** Fields of linear.graphql that are the same for everybody, but not empty. */
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

/** Linear's names, as an extension of the native schema. A type that this defines takes the place of Linear's empty one. */
export function linearNames(native: DocumentNode): DocumentNode {
  const own = new Set(native.definitions.map(nameOf));
  const isTaken = (node: DefinitionNode) => node.kind === Kind.OBJECT_TYPE_DEFINITION && own.has(nameOf(node));
  const definitions = written.definitions.filter((node) => !isTaken(node));
  // A search finds issues.
  const issue = definitions.find((node) => node.kind === Kind.OBJECT_TYPE_EXTENSION && nameOf(node) === "Issue");
  const linear = visit(
    { ...written, definitions },
    {
      ObjectTypeExtension: (type) => {
        const more = nameOf(type) === "IssueSearchResult" ? (issue as ObjectTypeExtensionNode).fields : [];
        return { ...type, fields: withValues(nameOf(type), [...(type.fields ?? []), ...(more ?? [])]) };
      },
      ObjectTypeDefinition: (type) => ({ ...type, fields: withValues(nameOf(type), type.fields ?? []) }),
      EnumValueDefinition: (value) => described(value, sentence(wordsOf(value.name.value))),
    },
  );
  return withDescriptions(linear);
}

function nameOf(node: DefinitionNode): string {
  return ("name" in node && node.name?.value) || "";
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** Fields with a description that says what each of them always is. */
const withValues = (type: string, fields: readonly FieldDefinitionNode[]): FieldDefinitionNode[] =>
  fields.map((field) => described(field, `Always ${constantWords(`${type}.${field.name.value}`, field)}.`));

/** Scalars whose empty value is no empty text, list or object. */
const EMPTY: Readonly<Record<string, string>> = { Boolean: "false", Int: "0", Float: "0" };

function constantWords(name: string, { type }: FieldDefinitionNode): string {
  if (Object.hasOwn(VALUES, name)) return String(readOwn(VALUES, name));
  if (type.kind !== Kind.NON_NULL_TYPE) return "null";
  if (type.type.kind === Kind.LIST_TYPE) return "empty";
  const { value } = type.type.name;
  return enums.has(value) ? "the same" : (readOwn(EMPTY, value) ?? "empty");
}

/** Marks every field of the extension as the constant that it is. */
export function markLinearNames(schema: GraphQLSchema, linear: DocumentNode): void {
  for (const definition of linear.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_EXTENSION && definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    const type = schema.getType(definition.name.value);
    const fields = isObjectType(type) ? type.getFields() : {};
    for (const { name } of definition.fields ?? []) {
      const field = readOwn(fields, name.value);
      if (field) markConstant(field, readOwn(VALUES, `${type}.${field.name}`));
    }
  }
}
