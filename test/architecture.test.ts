import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect } from "chai";

/** Which rooms each room may use. A file at the top of server/ is a room of its own. */
const SHARED = [
  "server/errors.ts",
  "server/runtime.ts",
  "server/cache.ts",
  "server/config.ts",
  "server/derived-repairs.ts",
  "server/id.ts",
  "server/json-depth.ts",
  "db",
  "concurrency",
];
const PLANNER = ["server/read", "server/write", "server/scope.ts"];
const BELOW_APIS = ["server/resources", "server/accounts", "server/auth", ...PLANNER, ...SHARED, "package.json"];
const ALLOWED: Record<string, string[]> = {
  concurrency: [],
  db: ["concurrency"],
  mcp: ["package.json"],
  web: [],
  cli: ["package.json"],
  "server/errors.ts": [],
  "server/cache.ts": [],
  "server/derived-repairs.ts": [],
  "server/config.ts": [],
  "server/secret.ts": ["server/config.ts", "server/whole-file.ts", "db"],
  "server/runtime.ts": ["db", "server/config.ts"],
  "server/scope.ts": ["db"],
  "server/id.ts": [],
  "server/json-depth.ts": [],
  "server/whole-file.ts": [],
  "server/outbound": [],
  "server/auth": SHARED,
  "server/read": ["server/errors.ts", "server/cache.ts", "server/id.ts", "server/scope.ts", "db"],
  "server/write": [
    "server/errors.ts",
    "server/cache.ts",
    "server/id.ts",
    "server/scope.ts",
    "server/read",
    "db",
    "concurrency",
  ],
  "server/accounts": ["server/auth", ...PLANNER, ...SHARED],
  "server/resources": ["server/accounts", "server/auth", ...PLANNER, ...SHARED],
  "server/graphql": BELOW_APIS,
  "server/control": BELOW_APIS,
  "server/oauth": [...BELOW_APIS, "server/outbound"],
  "server/ingest": BELOW_APIS,
  "server/stream": [...BELOW_APIS, "server/outbound"],
  // Upkeep of what connectors record goes by the rules that recorded it.
  "server/jobs": [...BELOW_APIS, "server/ingest"],
  "server/web": ["server/cache.ts"],
  "server/operations": ["server/auth", "server/accounts", ...SHARED],
};

/** May use every room of the server and the database, but not each other's programs. */
const TOPS = /^server\/(main|run|app|request-listener|first-start|mcp-supervisor|admin)/;

/** They build what they run, and import nothing else. */
const LAUNCHERS = ["mcp/bin.js", "cli/bin.js"];

interface Import {
  file: string;
  from: string;
  to: string;
}

describe("the source tree", () => {
  it("imports only downward, from folder to folder", () => {
    const stray = imports().filter(
      ({ file, from, to }) => !LAUNCHERS.includes(file) && !TOPS.test(from) && !ALLOWED[from]?.includes(to),
    );
    expect(stray.map(({ file, to }) => `${file} -> ${to}`)).to.deep.equal([]);
  });

  it("keeps koa, socket.io and graphql out of read, write and resources", () => {
    const files = ["server/read", "server/write", "server/resources"].flatMap(sources);
    const stray = files.filter((file) => /from "(koa|@koa|socket\.io|graphql)/.test(readFileSync(file, "utf8")));
    expect(stray).to.deep.equal([]);
  });

  it("writes files whole: one helper writes them, and the embedded database sees to its own", () => {
    const writers = /\b(writeFile(Sync)?|appendFile(Sync)?|createWriteStream|copyFile(Sync)?|truncate(Sync)?)\b\(/;
    const files = sources("server").filter((file) => writers.test(readFileSync(file, "utf8")));
    expect(files).to.deep.equal(["server/whole-file.ts"]);
  });

  it("reaches what is written against a wire format through its index alone", () => {
    const FENCED = ["db/pipeline", "server/stream/realtime/frames", "server/ingest/tuple"];
    const stray = pathsImported().filter(({ file, path }) =>
      FENCED.some((room) => path.startsWith(`${room}/`) && path !== `${room}/index.ts` && !file.startsWith(`${room}/`)),
    );
    expect(stray.map(({ file, path }) => `${file} -> ${path}`)).to.deep.equal([]);
  });

  it("has at most 15 entries in each folder of the database and the streams, but for migrations, which only grow", () => {
    const folders = ["db", "server/stream", "server/auth", "server/operations", "concurrency"].flatMap((room) => [
      room,
      ...readdirSync(room, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name)),
    ]);
    // Migrations are a list that only grows, each named by its number.
    const entries = (folder: string) => readdirSync(folder).filter((name) => !/^\d{4}-/.test(name));
    expect(folders.filter((folder) => entries(folder).length > 15)).to.deep.equal([]);
  });

  it("has no file over 250 lines", () => {
    // One is generated, the other holds drawings.
    const others = ["web/data/documents.ts", "web/parts/icons.tsx"];
    const written = ROOTS.flatMap(sources).filter((file) => !others.includes(file));
    expect(written.filter((file) => linesOf(file) > 250)).to.deep.equal([]);
  });

  for (const [share, bound] of [
    [0.5, 60],
    [0.1, 120],
  ] as const)
    it(`has at most ${share * 100} % of the server's files over ${bound} lines`, () => {
      const files = sources("server");
      expect(files.length).to.be.greaterThan(400);
      const over = files.filter((file) => linesOf(file) > bound);
      const most = Math.floor(share * files.length);
      const cure = `${over.length} of ${files.length} are, ${most} may be: split some of these by what they are about`;
      expect(over.length > most ? over : [], cure).to.deep.equal([]);
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

const ROOTS = ["concurrency", "db", "server", "mcp", "cli", "web"];

const sources = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(tsx?|js)$/.test(name))
    .map((name) => join(folder, name));

const linesOf = (file: string): number => readFileSync(file, "utf8").split("\n").length - 1;

const roomOf = (file: string): string => {
  const parts = file.split("/");
  return parts[0] === "server" ? parts.slice(0, 2).join("/") : String(parts.length === 1 ? file : parts[0]);
};

/** Every relative import, with the path of the file it leads to. */
const pathsImported = (): { file: string; path: string }[] =>
  ROOTS.flatMap(sources).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(([, path]) => ({
      file,
      path: normalize(join(dirname(file), String(path))),
    })),
  );

const imports = (): Import[] =>
  pathsImported()
    .map(({ file, path }) => ({ file, from: roomOf(file), to: roomOf(path) }))
    .filter(({ from, to }) => from !== to);
