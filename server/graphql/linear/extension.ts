import { readFileSync } from "node:fs";
import { type DocumentNode, type GraphQLSchema, isObjectType, Kind, parse } from "graphql";
import { markConstant } from "../document/constant.ts";
import { VALUES } from "./values.ts";

/** Linear's names, as an extension of the native schema. */
export const linearNames: DocumentNode = parse(readFileSync(new URL("./linear.graphql", import.meta.url), "utf8"), {
  noLocation: true,
});

/** Marks every field of the extension as the constant that it is. */
export function markLinearNames(schema: GraphQLSchema): void {
  for (const definition of linearNames.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_EXTENSION && definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    const type = schema.getType(definition.name.value);
    const fields = isObjectType(type) ? type.getFields() : {};
    for (const { name } of definition.fields ?? []) {
      const field = fields[name.value];
      if (field) markConstant(field, VALUES[`${type}.${field.name}`]);
    }
  }
}
