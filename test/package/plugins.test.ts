import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { expect } from "chai";
import { COMMAND_LOADERS_BY_HEADING } from "../../cli/commands.ts";
import { createCommandLineParser } from "../../cli/program.ts";
import { TOOLS } from "../../mcp/registry/tools.ts";

const read = (path: string) => readFileSync(path, "utf8");
const json = (path: string) => JSON.parse(read(path));
const project = json("package.json");
const SKILL = "plugins/trackway/skills/trackway/SKILL.md";

/** The rules of the MCP registry's schema that apply to this server's description. */
const SCHEMA = {
  type: "object",
  required: ["$schema", "name", "description", "version", "packages", "remotes"],
  additionalProperties: false,
  properties: {
    $schema: { const: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" },
    name: { type: "string", minLength: 3, maxLength: 200, pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" },
    title: { type: "string", minLength: 1, maxLength: 100 },
    description: { type: "string", minLength: 1, maxLength: 100 },
    version: { type: "string", maxLength: 255, pattern: "^\\d+\\.\\d+\\.\\d+(-[\\w.]+)?$" },
    repository: {
      type: "object",
      required: ["url", "source"],
      properties: { url: { type: "string", format: "uri" }, source: { type: "string" } },
    },
    packages: { type: "array", minItems: 1, items: { $ref: "#/definitions/package" } },
    remotes: { type: "array", minItems: 1, items: { $ref: "#/definitions/remote" } },
  },
  definitions: {
    input: {
      type: "object",
      properties: {
        description: { type: "string" },
        default: { type: "string" },
        isRequired: { type: "boolean" },
        isSecret: { type: "boolean" },
        value: { type: "string" },
      },
    },
    variable: { allOf: [{ $ref: "#/definitions/input" }, { required: ["name"] }] },
    package: {
      type: "object",
      required: ["registryType", "identifier", "transport", "version"],
      properties: {
        registryType: { const: "npm" },
        // The registry accepts npm packages only from this address.
        registryBaseUrl: { const: "https://registry.npmjs.org" },
        transport: { type: "object", required: ["type"], properties: { type: { const: "stdio" } } },
        packageArguments: {
          type: "array",
          items: { type: "object", required: ["type", "value"], properties: { type: { const: "positional" } } },
        },
        environmentVariables: { type: "array", items: { $ref: "#/definitions/variable" } },
      },
    },
    remote: {
      type: "object",
      required: ["type", "url"],
      properties: {
        type: { enum: ["streamable-http", "sse"] },
        url: { type: "string", format: "uri-template" },
        variables: { type: "object", additionalProperties: { $ref: "#/definitions/input" } },
      },
    },
  },
};

describe("the descriptions of Trackway for other tools", () => {
  it("include a description for the MCP registry that matches the registry's schema", () => {
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(SCHEMA);
    expect(validate(json("server.json")), JSON.stringify(validate.errors)).to.equal(true);
    expect(validate({ ...json("server.json"), description: "x".repeat(101) })).to.equal(false);
  });

  it("contain the package's name, its command, and the variables that the command reads", async () => {
    const { name, version, packages, remotes } = json("server.json");
    const [{ identifier, packageArguments, environmentVariables, ...npm }] = packages;
    expect([name, version, npm.version]).to.deep.equal([project.mcpName, project.version, project.version]);
    expect(read("scripts/pack/packages.js")).to.include('const SCOPE = "@trackway"');
    const [, command = ""] = identifier.split("/");
    expect([identifier, project.bin[command]]).to.deep.equal(["@trackway/trackway", "cli/bin.js"]);
    const called = packageArguments.map(({ value }: { value: string }) => value);
    expect((await createCommandLineParser({ only: called[0] })).commands.map((one) => one.name())).to.include(
      called[0],
    );
    for (const { name: variable } of environmentVariables)
      expect(read("cli/credentials/access.ts")).to.include(variable);
    for (const [, variable = ""] of remotes[0].url.matchAll(/\{(\w+)\}/g))
      expect(remotes[0].variables).to.have.property(variable);
  });

  it("name existing commands and tools in the skill", () => {
    const skill = read(SKILL);
    const [, name, description = ""] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(skill) ?? [];
    expect([name, description.length <= 1024]).to.deep.equal(["trackway", true]);
    const known = Object.values(COMMAND_LOADERS_BY_HEADING).flatMap((commands) => Object.keys(commands));
    const commands = [...skill.matchAll(/`trackway ([a-z]+)/g)].map(([, command]) => command);
    expect(commands).to.include.members(["ready", "done"]);
    expect(commands.filter((command) => !known.includes(String(command)))).to.deep.equal([]);
    const named = [...skill.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, tool]) => tool);
    const all = [...TOOLS.keys()];
    expect(named).to.include("next_issue");
    expect(named.filter((tool) => !all.includes(String(tool)))).to.deep.equal([]);
  });

  it("list existing pages in llms.txt", () => {
    const linked = [...read("llms.txt").matchAll(/\]\((\S+)\)/g)].map(([, path]) => String(path));
    expect(linked.length).to.be.greaterThan(10);
    for (const path of linked) expect(() => read(path), path).not.to.throw();
  });
});
