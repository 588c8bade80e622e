import { readFileSync } from "node:fs";
import { type DefinitionNode, type DocumentNode, type GraphQLSchema, isObjectType, Kind, parse } from "graphql";
import { markConstant } from "../document/constant.ts";

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

const written = parse(readFileSync(new URL("./linear.graphql", import.meta.url), "utf8"), { noLocation: true });

/** Linear's names, as an extension of the native schema. A type that this defines takes the place of Linear's empty one. */
export function linearNames(native: DocumentNode): DocumentNode {
  const own = new Set(native.definitions.map(nameOf));
  const isTaken = (node: DefinitionNode) => node.kind === Kind.OBJECT_TYPE_DEFINITION && own.has(nameOf(node));
  return { ...written, definitions: written.definitions.filter((node) => !isTaken(node)) };
}

const nameOf = (node: DefinitionNode): string => ("name" in node && node.name?.value) || "";

/** Marks every field of the extension as the constant that it is. */
export function markLinearNames(schema: GraphQLSchema, linear: DocumentNode): void {
  for (const definition of linear.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_EXTENSION && definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    const type = schema.getType(definition.name.value);
    const fields = isObjectType(type) ? type.getFields() : {};
    for (const { name } of definition.fields ?? []) {
      const field = fields[name.value];
      if (field) markConstant(field, VALUES[`${type}.${field.name}`]);
    }
  }
}
