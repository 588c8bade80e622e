// @ts-check
// `npm run api:types` writes the types with which the command line and the MCP server check responses. A test
// compares the file with the schema.
import { writeFileSync } from "node:fs";
import { isObjectType } from "graphql";
import { getIntrospectionSchema } from "../server/graphql/schema.ts";

export const TARGET = "formats/api-types.ts";

/** @returns the text of the file */
export function generate() {
  const types = Object.values(getIntrospectionSchema("native").getTypeMap()).filter(
    (type) => isObjectType(type) && !type.name.startsWith("__"),
  );
  const lines = types.map((type) => {
    const fields = Object.values(/** @type {import("graphql").GraphQLObjectType} */ (type).getFields());
    return [type.name, ...fields.map((field) => `${field.name}:${field.type}`)].join(" ");
  });
  return `// Written by \`npm run api:types\` from the GraphQL schema. Do not edit it.
import { type ApiTypes, parseApiTypes } from "./response-shape.ts";

/** The fields of the API's object types, with their types. */
export const API_TYPES: ApiTypes = parseApiTypes(\`
${lines.sort().join("\n")}
\`);
`;
}

if (process.argv[1]?.endsWith("api-types.js")) writeFileSync(TARGET, generate());
