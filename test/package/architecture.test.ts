import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect } from "chai";
import { SOURCES } from "../../scripts/folders.js";

/** Folders that each folder of the server may import. A file at the top of server/ counts as a folder. */
const SHARED = [
  "server/errors.ts",
  "server/runtime.ts",
  "server/cache.ts",
  "server/config.ts",
  "server/counters.ts",
  "server/id.ts",
  "server/request-body.ts",
  "server/scans",
  "db",
  "formats",
  "system",
  "redaction",
  "concurrency",
];
const PLANNER = ["server/read", "server/write", "server/scope.ts"];
const BELOW_APIS = [
  "server/agents",
  "server/prices",
  "server/mail",
  "server/resources",
  "server/accounts",
  "server/auth",
  ...PLANNER,
  ...SHARED,
  "package.json",
];
const ALLOWED: Record<string, string[]> = {
  formats: [],
  system: [],
  redaction: [],
  concurrency: [],
  db: ["concurrency", "formats", "system"],
  mcp: ["formats", "system", "package.json"],
  web: ["formats"],
  cli: ["formats", "system", "redaction", "package.json"],
  "server/errors.ts": ["server/counters.ts"],
  "server/cache.ts": [],
  "server/counters.ts": [],
  "server/config.ts": ["formats"],
  "server/secret.ts": ["server/config.ts", "server/whole-file.ts", "db"],
  "server/runtime.ts": ["db", "server/config.ts"],
  "server/scope.ts": ["db", "server/id.ts", "server/runtime.ts"],
  "server/id.ts": [],
  "server/request-body.ts": ["server/errors.ts"],
  "server/whole-file.ts": ["system"],
  "server/scans": ["server/counters.ts", "server/errors.ts", "redaction", "concurrency"],
  "server/outbound": [],
  "server/mail": ["server/outbound", "server/config.ts"],
  "server/agents": ["formats"],
  "server/prices": ["server/agents", "server/cache.ts", "package.json"],
  "server/auth": SHARED,
  "server/read": ["server/errors.ts", "server/cache.ts", "server/id.ts", "server/scope.ts", "db", "formats"],
  "server/write": [
    "server/errors.ts",
    "server/cache.ts",
    "server/id.ts",
    "server/scope.ts",
    "server/read",
    "db",
    "formats",
    "concurrency",
  ],
  "server/accounts": ["server/auth", "server/mail", "server/outbound", "server/prices", ...PLANNER, ...SHARED],
  "server/resources": ["server/agents", "server/accounts", "server/auth", "server/mail", ...PLANNER, ...SHARED],
  "server/graphql": BELOW_APIS,
  "server/control": BELOW_APIS,
  "server/oauth": [...BELOW_APIS, "server/outbound"],
  "server/ingest": BELOW_APIS,
  "server/stream": [...BELOW_APIS, "server/outbound"],
  // Maintenance of recorded data follows the rules of the connectors that recorded the data.
  "server/jobs": [...BELOW_APIS, "server/ingest"],
  "server/web": ["server/cache.ts", "formats"],
  "server/operations": ["package.json", "server/auth", "server/accounts", ...SHARED],
};

/** Entry points that may import every folder of the server and the database, but not another entry point. */
const TOPS = /^server\/(main|run|app|request-listener|mcp-supervisor|admin)/;

/** Maximum number of files with at most 15 lines. */
const MOST_SHORT = 20;

/** Files outside of `server/agents` that contain the name of an agent in code. */
const NAMING_AGENTS = [
  // Prints the command with which a user connects Claude Code to the MCP server.
  "server/admin/first-start.ts",
  // Lists the URL schemes of apps, of which two belong to agents.
  "server/oauth/clients/redirect-uri.ts",
];

/** Launchers build the program, then run the build. They import nothing else. */
const LAUNCHERS = ["mcp/bin.js", "cli/bin.js"];

interface Import {
  file: string;
  path: string;
}

describe("the source tree", () => {
  it("imports only downward between folders", () => {
    expect(strays(pathsImported())).to.deep.equal([]);
  });

  it("is checked for imports of every form and depth", () => {
    const lines = [
      `import { plan } from "../../../graphql/plan/plan.ts";`,
      `export { plan } from "../../../graphql/index.ts";`,
      `import "../../../oauth/failure.ts";`,
      `const late = await import("../../../stream/feed.ts");`,
      `import { rows } from "../../store/events.ts";`,
      `import { newId } from "../../../id.ts";`,
    ];
    const found = lines.map((line) => strays(pathsOf("server/ingest/observe/store/new.ts", line)));
    const file = "server/ingest/observe/store/new.ts";
    const expected = ["graphql", "graphql", "oauth", "stream"].map((room) => [`${file} -> server/${room}`]);
    expect(found).to.deep.equal([...expected, [], []]);
  });

  it("keeps packages and Node.js out of the agents' formats", () => {
    const stray = sources("server/agents").filter((file) =>
      /(?:from|import\(|import) ?"[^.]/.test(readFileSync(file, "utf8")),
    );
    expect(stray).to.deep.equal([]);
  });

  it("names agents only in their folders, and asks their declarations for everything else", () => {
    const agents = readdirSync("server/agents", { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !["conventions", "sdks"].includes(entry.name))
      .map(({ name }) => name);
    expect(agents).to.include.members(["claude-code", "codex", "pi"]);
    // Short names are also parts of other words, and a cursor is also a position in a list.
    const names = agents
      .filter((name) => name !== "cursor")
      .map((name) => (name.length > 4 ? name.replace("-", "[-_ ]?") : `["'\`]${name}["'\`]`));
    const naming = new RegExp([...names, "claude|gemini|qwen"].join("|"), "i");
    const others = sources("server").filter((file) => !file.startsWith("server/agents/"));
    expect(others.filter((file) => naming.test(codeOf(file)))).to.deep.equal(NAMING_AGENTS);
    const stray = pathsImported().filter(
      ({ file, path }) => others.includes(file) && agents.some((name) => path.startsWith(`server/agents/${name}/`)),
    );
    expect(stray).to.deep.equal([]);
  });

  it("keeps koa, socket.io and graphql out of read, write and resources", () => {
    const files = ["server/read", "server/write", "server/resources"].flatMap(sources);
    const stray = files.filter((file) => /from "(koa|@koa|socket\.io|graphql)/.test(readFileSync(file, "utf8")));
    expect(stray).to.deep.equal([]);
  });

  it("writes files atomically through one helper, except for the embedded database's files", () => {
    const writers = /\b(writeFile(Sync)?|appendFile(Sync)?|createWriteStream|copyFile(Sync)?|truncate(Sync)?)\b\(/;
    const files = ["system", "server", "cli"].flatMap(sources);
    // The file of an editor, and a file that only grows, are in folders that only this user can read.
    const others = ["cli/files/editor.ts", "cli/files/whole-file.ts"];
    expect(files.filter((file) => writers.test(readFileSync(file, "utf8")))).to.deep.equal([
      "system/whole-file.ts",
      ...others,
    ]);
  });

  it("imports wire formats and analytics only through their index", () => {
    const FENCED = [
      "db/pipeline",
      "server/stream/realtime/frames",
      "server/ingest/tuple",
      "server/ingest/scan",
      "server/resources/recorded/analytics",
    ];
    const stray = pathsImported().filter(({ file, path }) =>
      FENCED.some((room) => path.startsWith(`${room}/`) && path !== `${room}/index.ts` && !file.startsWith(`${room}/`)),
    );
    expect(stray.map(({ file, path }) => `${file} -> ${path}`)).to.deep.equal([]);
  });

  it("searches text for secrets only through the scanner, which keeps long text off the main thread", () => {
    // The log truncates texts before searching.
    const allowed = /^server\/(scans\/|operations\/log\.ts)/;
    const searching = /import [^;]*\b(redactorFor|findSecrets|bytesOf)\b[^;]* from "[./]+redaction\//;
    const files = sources("server").filter((file) => searching.test(readFileSync(file, "utf8")));
    expect(files.filter((file) => !allowed.test(file))).to.deep.equal([]);
  });

  it("has at most 15 entries in each folder of the database and the streams, except migrations", () => {
    const folders = ["db", "server/stream", "server/auth", "server/operations", "concurrency"].flatMap((room) => [
      room,
      ...readdirSync(room, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name)),
    ]);
    // Migrations are not counted, because the list of numbered files only grows.
    const entries = (folder: string) => readdirSync(folder).filter((name) => !/^\d{4}-/.test(name));
    expect(folders.filter((folder) => entries(folder).length > 15)).to.deep.equal([]);
  });

  it("has no file over 250 lines of code, comments aside", () => {
    // Two files are generated, and the third contains drawings.
    const others = ["web/data/documents.ts", "web/data/endpoints.ts", "web/parts/icons.tsx"];
    const written = SOURCES.flatMap(sources).filter((file) => !others.includes(file));
    expect(written.filter((file) => codeLinesOf(file) > 250)).to.deep.equal([]);
  });

  it("has few files of at most 15 lines", () => {
    const short = sources("server").filter((file) => linesOf(file) <= 15 && !file.endsWith("/index.ts"));
    expect(short.length, short.join(", ")).to.be.at.most(MOST_SHORT);
  });

  it("has at most 15 files in each folder of the server, the tools, the command line and the web app", () => {
    const files = ["server", "mcp", "cli", "web"]
      .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile());
    const counts = new Map<string, number>();
    for (const { parentPath } of files) counts.set(parentPath, (counts.get(parentPath) ?? 0) + 1);
    expect(counts.size).to.be.greaterThan(50);
    expect([...counts].filter(([, count]) => count > 15).map(String)).to.deep.equal([]);
  });
});

const sources = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(tsx?|js)$/.test(name))
    .map((name) => join(folder, name));

/** Returns a file's text without its comments. */
const codeOf = (file: string): string => readFileSync(file, "utf8").replaceAll(/^\s*(?:\/\*\*?|\*|\/\/).*$/gm, "");

/** Number of lines, not counting comments: a clear comment is no reason to split a file. */
const codeLinesOf = (file: string): number =>
  readFileSync(file, "utf8")
    .replace(/^ *\/\*\*[\s\S]*?\*\/\n|^ *\/\/.*\n/gm, "")
    .split("\n").length - 1;

const linesOf = (file: string): number => readFileSync(file, "utf8").split("\n").length - 1;

const roomOf = (file: string): string => {
  const parts = file.split("/");
  return parts[0] === "server" ? parts.slice(0, 2).join("/") : String(parts.length === 1 ? file : parts[0]);
};

/** Returns the relative imports in a file's text, resolved to paths. */
const pathsOf = (file: string, text: string): Import[] =>
  [...text.matchAll(/(?:from|import\(|import)\s*"(\.[^"]+)"/g)].map(([, path]) => ({
    file,
    path: normalize(join(dirname(file), String(path))),
  }));

const pathsImported = (): Import[] =>
  SOURCES.flatMap(sources).flatMap((file) => pathsOf(file, readFileSync(file, "utf8")));

/** Returns imports from a folder that the importing folder may not use. */
const strays = (imports: readonly Import[]): string[] =>
  imports
    .map(({ file, path }) => ({ file, from: roomOf(file), to: roomOf(path) }))
    .filter(({ from, to }) => from !== to && !TOPS.test(from) && !ALLOWED[from]?.includes(to))
    .filter(({ file }) => !LAUNCHERS.includes(file))
    .map(({ file, to }) => `${file} -> ${to}`);
