// @ts-check
// Generates the reference of GraphQL, MCP tools, the command line and the environment from the compiled code.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, stop } from "esbuild";
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isUnionType,
} from "graphql";

/** @typedef {import("./compile-docs.js").DocsPage} DocsPage */
/**
 * @typedef {{ args: readonly import("graphql").GraphQLArgument[], type: unknown, description?: string | null |
 * undefined, name: string }} Field
 */

/**
 * Builds the pages of the reference.
 * @param {string} root
 * @param {string} target where the compiled programs are
 * @returns {Promise<DocsPage[]>}
 */
export async function buildReferencePages(root, target) {
  const load = (/** @type {string} */ path) => import(pathToFileURL(join(target, path)).href);
  const { getIntrospectionSchema } = await load("server/graphql/schema.js");
  const { TOOLS } = await load("mcp/registry/tools.js");
  const settings = {
    server: (await load("server/config.js")).configSchema,
    mcp: (await load("mcp/config.js")).environmentSchema,
  };
  return [
    ...graphqlPages(getIntrospectionSchema("native")),
    page("reference/mcp-tools", toolsPage([...TOOLS.values()])),
    page("reference/cli", await commandsPage(root, target)),
    page("reference/environment", environmentPage(root, settings)),
  ];
}

/** @param {string} name @param {string} text */
const page = (name, text) => ({ name, source: `docs/${name}.md`, text });

/** Escapes text for a table cell. @param {string | null | undefined} text */
const cell = (text) => (text ?? "").replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();

/** @param {string[][]} rows */
const table = (rows) =>
  rows.length < 2
    ? ""
    : rows
        .map((row) => `| ${row.join(" | ")} |`)
        .toSpliced(1, 0, `|${"---|".repeat(rows[0]?.length ?? 1)}`)
        .join("\n");

/** @param {import("graphql").GraphQLSchema} schema */
function graphqlPages(schema) {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith("__"));
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()];
  const places = new Map(types.map((type) => [type.name, isInputObjectType(type) ? "inputs" : "types"]));
  /** Formats a type's name as a link to its entry. @param {unknown} type */
  const typed = (type) => {
    const { name } = getNamedType(/** @type {import("graphql").GraphQLType} */ (type));
    return `[\`${String(type)}\`](${places.get(name)}.md#${name.toLowerCase()})`;
  };
  /** @param {Field} field */
  const operation = ({ name, args, type, description }) => {
    const rows = args.map((each) => [`\`${each.name}\``, typed(each.type), cell(each.description)]);
    const heading = `## ${name}\n\n${description ?? ""}\n\nAnswers ${typed(type)}.\n`;
    return `${heading}\n${table([["Argument", "Type", "Meaning"], ...rows])}\n`;
  };
  const operations = (/** @type {import("graphql").GraphQLObjectType | null | undefined} */ type) =>
    Object.values(type?.getFields() ?? {})
      .map(operation)
      .join("\n");
  /** @param {import("graphql").GraphQLNamedType} type */
  const described = (type) => `## ${type.name}\n\n${type.description ?? ""}\n\n${membersOf(type, typed)}\n`;
  const isRoot = (/** @type {unknown} */ type) => type === query || type === mutation;
  const inputs = types.filter(isInputObjectType);
  const others = types.filter((type) => !isInputObjectType(type) && !isRoot(type));
  const intro =
    "Every server has this schema at `/graphql`, with GraphiQL for browsers. [GraphQL](../graphql.md) says how to use it.";
  return [
    page("reference/queries", `# GraphQL queries\n\n${intro}\n\n${operations(query)}`),
    page("reference/mutations", `# GraphQL mutations\n\n${intro}\n\n${operations(mutation)}`),
    page("reference/types", `# GraphQL types\n\n${intro}\n\n${others.map(described).join("\n")}`),
    page("reference/inputs", `# GraphQL inputs and filters\n\n${intro}\n\n${inputs.map(described).join("\n")}`),
  ];
}

/**
 * @param {import("graphql").GraphQLNamedType} type
 * @param {(type: unknown) => string} typed
 */
function membersOf(type, typed) {
  if (isScalarType(type)) return "A scalar.";
  if (isUnionType(type)) return `One of ${type.getTypes().map(typed).join(", ")}.`;
  if (isEnumType(type))
    return table([
      ["Value", "Meaning"],
      ...type.getValues().map((each) => [`\`${each.name}\``, cell(each.description)]),
    ]);
  if (!(isObjectType(type) || isInterfaceType(type) || isInputObjectType(type))) return "";
  const rows = Object.values(type.getFields()).map((/** @type {any} */ field) => {
    const args = (field.args ?? []).map((/** @type {{ name: string }} */ { name }) => name).join(", ");
    return [`\`${field.name}${args && `(${args})`}\``, typed(field.type), cell(field.description)];
  });
  return table([["Field", "Type", "Meaning"], ...rows]);
}

/** @param {import("../../mcp/registry/define-tool.ts").Tool[]} tools */
function toolsPage(tools) {
  const texts = tools.map(({ name, toolset, readOnly, needsIngestKey, definition }) => {
    const { title, description, inputSchema } = /** @type {any} */ (definition);
    /** @type {[string, any][]} */
    const entries = Object.entries(inputSchema.properties ?? {});
    const rows = entries.map(([argument, schema]) => [
      `\`${argument}\`${inputSchema.required?.includes(argument) ? "" : " (optional)"}`,
      cell(describeType(schema)),
      cell(schema.description),
    ]);
    const facts = [
      `toolset \`${toolset}\``,
      readOnly ? "reads only" : "writes",
      needsIngestKey && "needs an ingest key",
    ];
    const head = `## ${name}\n\n${title}: ${facts.filter(Boolean).join(", ")}. ${description}\n`;
    return `${head}\n${table([["Argument", "Kind", "Meaning"], ...rows])}\n`;
  });
  const intro =
    "The tools of the MCP server, as clients list them. [MCP](../mcp.md) says how toolsets are switched on.";
  return `# MCP tools\n\n${intro}\n\n${texts.join("\n")}`;
}

/** @param {any} schema @returns {string} */
const describeType = (schema) =>
  schema.enum
    ? schema.enum.map((/** @type {string} */ value) => `\`${value}\``).join(", ")
    : schema.anyOf
      ? schema.anyOf.map(describeType).join(" or ")
      : schema.type === "array"
        ? `list of ${describeType(schema.items ?? {})}`
        : String(schema.type ?? "anything");

/** @param {string} root @param {string} target */
async function commandsPage(root, target) {
  const outfile = join(target, "cli-reference.mjs");
  const define = { "process.stdout.columns": "100" };
  await build({
    ...{ absWorkingDir: root, entryPoints: ["cli/program.ts"], outfile, define },
    ...{ bundle: true, packages: "external", platform: "node", format: "esm", target: "node20", logLevel: "warning" },
  });
  await stop();
  try {
    const { createCommandLineParser } = await import(pathToFileURL(outfile).href);
    /** @type {import("commander").Command} */
    const program = await createCommandLineParser();
    const commands = program.commands.filter((each) => each.name() !== "help");
    const intro =
      "The command `trackway`, as its `--help` shows it. [The command line](../cli.md) says how to work with it.";
    const all = [program, ...commands.flatMap((each) => [each, ...each.commands])];
    return `# Command line\n\n${intro}\n\n${all.map(helpOf).join("\n")}`;
  } finally {
    rmSync(outfile);
  }
}

/** @param {import("commander").Command} command */
function helpOf(command) {
  let text = "";
  command.configureOutput({
    writeOut: (piece) => {
      text += piece;
    },
  });
  command.outputHelp();
  const names = [];
  for (let each = /** @type {import("commander").Command | null} */ (command); each; each = each.parent)
    names.unshift(each.name());
  return `## ${names.join(" ")}\n\n\`\`\`text\n${text.trim()}\n\`\`\`\n`;
}

/** The pages whose tables describe the variables, by the program that reads the variables. */
const PURPOSES = { server: "docs/operations.md", mcp: "docs/mcp.md" };

/**
 * Builds the page of environment variables. Names and defaults come from the code, purposes from the tables of the
 * docs. A variable without a row stops the build.
 * @param {string} root
 * @param {Record<keyof typeof PURPOSES, import("zod").ZodObject>} settings
 */
function environmentPage(root, settings) {
  /** @param {keyof typeof PURPOSES} program */
  const section = (program) => {
    const text = readFileSync(join(root, PURPOSES[program]), "utf8");
    const rows = Object.entries(settings[program].shape).map(([name, schema]) => {
      const row = text.split("\n").find((line) => line.split(" | ", 1)[0]?.includes(`\`${name}\``));
      if (row === undefined) throw new Error(`${PURPOSES[program]}: no table has a row for ${name}`);
      const purpose = row.replace(/ \|$/, "").split(" | ").at(-1) ?? "";
      return [`\`${name}\``, defaultOf(schema), purpose.replaceAll(/\]\((?=[\w-]+\.md)/g, "](../")];
    });
    return table([["Variable", "Default", "Purpose"], ...rows]);
  };
  const intro =
    "Every variable that the programs read. An empty one counts as unset; a bad one stops the start, with a line that names it.";
  return `# Environment\n\n${intro}\n\n## Server\n\n${section("server")}\n\n## MCP server\n\n${section("mcp")}\n\n## Command line\n\n[trackway --help](cli.md) lists those of the command line.\n`;
}

/** @param {unknown} schema */
function defaultOf(schema) {
  const parsed = /** @type {import("zod").ZodType} */ (schema).safeParse(undefined);
  const value = parsed.success ? parsed.data : undefined;
  if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) return "none";
  return `\`${value === false ? "off" : value}\``;
}
