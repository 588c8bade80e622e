import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { TOOLSETS } from "../../mcp/registry/define-tool.ts";
import { SOURCES } from "../../scripts/folders.js";
import { entityModel, webhookInputSchemas } from "../../server/resources/index.ts";

const page = (name: string) => readFileSync(`docs/${name}.md`, "utf8");
const quotedIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name);
const foldersIn = (path: string) =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
const pages = () => [
  "README.md",
  "CONTRIBUTING.md",
  "examples/README.md",
  ...readdirSync("docs").flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
  ...readdirSync("docs/decisions").map((name) => `docs/decisions/${name}`),
];
const rowOf = (text: string, name: string) => new RegExp(`^\\| ${name} \\| (.+) \\|$`, "m").exec(text)?.[1] ?? "";

/** Folders of the repository that contain code. */
const CODE = [...SOURCES, "scripts", "test", "bench", "examples", "plugins"];

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(tsx?|m?js|graphql)$/.test(name))
    .map((name) => readFileSync(`${folder}/${name}`, "utf8"));

describe("the docs", () => {
  const streamed = [...entityModel.values()].filter(
    ({ name }) => webhookInputSchemas.WebhookUpdateInput.shape.resourceTypes.safeParse([name]).success,
  );

  it("name every kind of change that sockets and webhooks receive, and no other", () => {
    expect(quotedIn(rowOf(page("realtime"), "kind"))).to.have.members(
      streamed.map(({ event, name }) => event ?? name.charAt(0).toLowerCase() + name.slice(1)),
    );
    expect(quotedIn(rowOf(page("webhooks"), "`type`"))).to.have.members(streamed.map(({ name }) => name));
  });

  it("state the number of server connections in one place", () => {
    const pages = readdirSync("docs").filter((name) => name.endsWith(".md"));
    const stating = pages.filter((name) =>
      /max_connections` ?[−-]|≤ max_connections/.test(readFileSync(`docs/${name}`, "utf8")),
    );
    expect(stating).to.deep.equal(["operations.md"]);
  });

  it("name only files and folders that exist", () => {
    const roots = [...CODE, ...foldersIn("server")];
    // A method of MCP, not a path.
    const others = ["server/discover"];
    const found = pages().flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)].map(([, name = ""]) => ({
        path,
        name,
      })),
    );
    const named = found.filter(({ name }) => name.includes("/") && roots.includes(name.split("/", 1)[0] ?? ""));
    const missing = named.filter(
      ({ name }) => !["", "server/"].some((root) => existsSync(root + name) || existsSync(`${root}${name}.ts`)),
    );
    expect(named.length).to.be.greaterThan(100);
    expect(missing.filter(({ name }) => !others.includes(name))).to.deep.equal([]);
  });

  it("name only commands that exist", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
    const texts = pages().map((path) => readFileSync(path, "utf8"));
    const commands = texts.flatMap((text) => [...text.matchAll(/npm run ([\w:-]+)(?: -- ([\w-]+))?/g)]);
    const isThere = ([, script = "", name]: string[]) => {
      if (name === undefined || !["bench", "torture"].includes(script)) return script in scripts;
      const list = readFileSync(script === "bench" ? "bench/main.ts" : "bench/torture.ts", "utf8");
      return name === "NAME" || new RegExp(`^ {2}"?${name}"?: async`, "m").test(list);
    };
    expect(commands.filter((command) => !isThere(command)).map(String)).to.deep.equal([]);
  });

  it("name every folder of code, and every file at the top of the server", () => {
    const [, table = ""] = page("architecture").split("## The folders");
    const rooms = readdirSync("server").filter((name) => !table.includes(`\`${name}\``));
    expect(rooms.filter((name) => !table.includes(`\`server/${name.replace(/^[\w-]+$/, "$&/")}\``))).to.deep.equal([]);
    expect(CODE.filter((name) => name !== "server" && !table.includes(`\`${name}/\``))).to.deep.equal([]);
    expect(foldersIn("mcp").filter((name) => !page("mcp").includes(`\`${name}/\``))).to.deep.equal([]);
    expect(foldersIn("web").filter((name) => !page("web").includes(`\`web/${name}/\``))).to.deep.equal([]);
  });

  it("have a glossary in alphabetical order with existing toolsets and code names", () => {
    const glossary = page("glossary");
    const words = [...glossary.matchAll(/^\| (.+?) \|/gm)].slice(2).map(([, word = ""]) => word.replaceAll("`", ""));
    const sorted = words.map((word) => word.toLowerCase()).toSorted((a, b) => (a < b ? -1 : Number(a > b)));
    expect(words.map((word) => word.toLowerCase())).to.deep.equal(sorted);
    expect(quotedIn(rowOf(glossary, "toolset"))).to.deep.equal([...TOOLSETS]);
    const code = CODE.flatMap(sourcesIn).join("\n");
    const names = [...glossary.matchAll(/`([A-Za-z]+)(?:\.([a-z]+))?`/g)].flatMap(([, one, two]) => [one, two]);
    expect(names.filter((name) => name && !new RegExp(`\\b${name}\\b`).test(code))).to.deep.equal([]);
  });

  it("describe every way to configure a resource, and name existing tests", () => {
    const guide = page("resources");
    const [, table = ""] = guide.split("| Member | Left out | Worth it when |");
    const members = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = ""]) =>
      quotedIn(cell.replace(/\(.*\)/, "")),
    );
    const [, tuning = ""] = readFileSync("server/read/tuning.ts", "utf8").split("export interface ReadTuning {\n");
    const [body = ""] = tuning.split("\n}");
    expect(members).to.have.members([...body.matchAll(/^ {2}(\w+)\??[:(]/gm)].map(([, name]) => name));
    const tests = [...(/tests ((?:`[\w-]+`(?:, | and )?)+)/.exec(guide)?.[1]?.matchAll(/`([\w-]+)`/g) ?? [])];
    const all = readdirSync("test", { recursive: true, encoding: "utf8" });
    expect(
      tests.filter(([, name]) => !all.some((path) => new RegExp(`/${name}(\\.\\w+)?\\.test\\.ts$`).test(path))),
    ).to.deep.equal([]);
    expect(tests).not.to.deep.equal([]);
  });

  it("link only to pages and headings that exist", () => {
    const broken = [...readdirSync("docs").map((name) => `docs/${name}`), "README.md", "CONTRIBUTING.md"]
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) => brokenLinks(path));
    expect(broken).to.deep.equal([]);
  });
});

const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");

function brokenLinks(path: string): string[] {
  const folder = path.includes("/") ? "docs/" : "";
  const links = [...readFileSync(path, "utf8").matchAll(/\]\(([\w./-]*)(?:#([\w-]+))?\)/g)];
  return links
    .filter(([, file, heading]) => {
      const target = file ? `${folder}${file}` : path;
      if (!existsSync(target)) return true;
      if (heading === undefined) return false;
      const lines = readFileSync(target, "utf8").split("\n");
      const isIt = (line: string) => line.startsWith("#") && slug(line.replace(/^#+ /, "")) === heading;
      return !lines.some((line) => isIt(line) || line.includes(`<a id="${heading}">`));
    })
    .map(([link]) => `${path}: ${link}`);
}
