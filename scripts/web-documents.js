// @ts-check
// Generates web/data/documents.ts: the types and texts of the web app's GraphQL documents, from web/documents/
// and the schema.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { codegen } from "@graphql-codegen/core";
import * as operations from "@graphql-codegen/typescript-operations";
import { buildASTSchema, Kind, parse, print, visit } from "graphql";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = join(ROOT, "web/documents");

export const TARGET = join(ROOT, "web/data/documents.ts");

/**
 * Generates the content of web/data/documents.ts.
 * @param {string} sdl the schema as the server serves it
 */
export async function generate(sdl) {
  const schema = parse(sdl);
  const sources = readdirSync(FOLDER)
    .sort()
    .map((name) => ({ location: name, document: parse(readFileSync(join(FOLDER, name), "utf8")) }));
  const config = {
    skipTypename: true,
    immutableTypes: true,
    useTypeImports: true,
    avoidOptionals: { field: true },
    enumsAsTypes: true,
    scalars: {
      JSON: "unknown",
      JSONObject: "Record<string, unknown>",
      IssueFilterJSON: "IssueFilter",
      DateTime: "string",
      DateTimeOrDuration: "string",
    },
    defaultScalarType: "string",
  };
  const types = await codegen({
    filename: TARGET,
    schema,
    schemaAst: buildASTSchema(schema),
    documents: sources,
    config,
    plugins: [{ operations: {} }],
    pluginMap: { operations },
  });
  return `// Written by \`npm run web:types\` from web/documents/.\nimport { toGraphQLDocument } from "./document.ts";\n\n${types}\n${texts(sources)}`;
}

/** @param {{ document: import("graphql").DocumentNode }[]} sources */
function texts(sources) {
  const definitions = sources.flatMap(({ document }) => document.definitions);
  const fragments = new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  );
  return definitions
    .flatMap((each) => {
      if (each.kind !== Kind.OPERATION_DEFINITION || !each.name) return [];
      const name = each.name.value;
      const type = `${name}${each.operation === "query" ? "Query" : "Mutation"}`;
      const text = [each, ...spreadIn(each, fragments)].map(short).join(" ");
      return `export const ${name} = toGraphQLDocument<${type}, ${type}Variables>(${JSON.stringify(text)});\n`;
    })
    .join("");
}

/** @param {import("graphql").DefinitionNode} node */
const short = (node) => print(node).replace(/\s+/g, " ");

/**
 * Finds the fragments that a definition needs, directly or through other fragments.
 * @param {import("graphql").DefinitionNode} node
 * @param {Map<string, import("graphql").FragmentDefinitionNode>} fragments
 * @returns {import("graphql").FragmentDefinitionNode[]}
 */
function spreadIn(node, fragments) {
  /** @type {Set<import("graphql").FragmentDefinitionNode>} */
  const found = new Set();
  visit(node, {
    FragmentSpread: ({ name }) => {
      const fragment = fragments.get(name.value);
      if (fragment) for (const each of [fragment, ...spreadIn(fragment, fragments)]) found.add(each);
    },
  });
  return [...found];
}
