import { exec, type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
const scratch = () => mkdtempSync(join(tmpdir(), "trackway-build-"));
const run = (cwd: string, command: string): SpawnSyncReturns<string> =>
  spawnSync(command, { cwd, shell: true, encoding: "utf8" });

/**
 * The paths that `Dockerfile` copies from the repository, in the stage that builds the image and in the stage that
 * runs.
 */
const COPIED = readFileSync("Dockerfile", "utf8")
  .split(/^FROM /m)
  .map((stage) => [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names]) => String(names).split(" ")));

/**
 * Returns the paths that `.dockerignore` allows into the build. The file excludes everything except the listed names.
 */
function contextOfImage(): string[] {
  const [first, ...lines] = readFileSync(".dockerignore", "utf8").trim().split("\n");
  expect(first).to.equal("*");
  for (const line of lines) expect(line).to.match(/^![\w.-]+$/);
  return lines.map((line) => line.slice(1));
}

const inContext = (name: string) => contextOfImage().includes(String(name.split("/")[0]));

/** Creates a separate checkout, as for building the image, with the packages of this checkout. */
function checkout(): string {
  const folder = scratch();
  const [, forBuild = []] = COPIED;
  for (const name of forBuild.filter(inContext)) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Returns the files that a program imports statically. `import()` loads further files on demand. */
const importedBy = (program: string): string[] =>
  [...readFileSync(program, "utf8").matchAll(/^import (?:.+ from )?"(\.[^"]+)";/gm)].map(([, path]) =>
    join(dirname(program), String(path)),
  );

describe("the container image", () => {
  it("is built from existing files that .dockerignore allows into the build", () => {
    const names = COPIED.flat();
    expect(names).to.include.members(["web", "server", "cli/bin.js"]);
    expect(names.filter((name) => !existsSync(name) || !inContext(name))).to.deep.equal([]);
  });

  it("runs unbuilt files only if the image copies them", () => {
    const { bin, imports, scripts: commands } = JSON.parse(readFileSync("package.json", "utf8"));
    const [, , forRun = []] = COPIED;
    const programs = [...Object.values(bin), ...Object.values(imports)].map((path) => join(String(path)));
    const started = ["prestart", "preadmin", "prebackup"].map((name) => String(commands[name]).replace("node ", ""));
    const imported = forRun.filter((name) => name.endsWith(".js")).flatMap(importedBy);
    expect(imported).to.include("scripts/node-version.js");
    const needed = [...programs, ...started, ...imported].filter((path) => !path.startsWith("dist/"));
    expect(needed.filter((path) => !forRun.some((one) => path === one || path.startsWith(`${one}/`)))).to.deep.equal(
      [],
    );
  });
});

describe("the build before each start", () => {
  const folder = checkout();
  const path = (name: string) => join(folder, name);
  const built = (name: string) => readFileSync(path(`dist/server/${name}`), "utf8");
  const beforeStart = () => run(folder, scripts.prestart);
  const SECRET = path("server/secret.ts");

  it("builds missing output without printing", () => {
    const { status, stdout, stderr } = beforeStart();
    expect([status, stdout, stderr]).to.deep.equal([0, "", ""]);
    expect(existsSync(path("dist/server/main.js"))).to.equal(true);
  });

  it("does nothing if the output was built from the current sources", () => {
    const before = statSync(path("dist/server/main.js")).ino;
    beforeStart();
    expect(statSync(path("dist/server/main.js")).ino).to.equal(before);
  });

  it("builds an edited source, even with an old modification time", () => {
    writeFileSync(SECRET, `${readFileSync(SECRET, "utf8")}export const edited = "yes";\n`);
    utimesSync(SECRET, 0, 0);
    beforeStart();
    expect(built("secret.js")).to.include('edited = "yes"');
  });

  it("copies a new file that is no program, and removes output whose source is gone", () => {
    writeFileSync(path("server/graphql/pages/new.html"), "<p>new</p>");
    beforeStart();
    expect(built("graphql/pages/new.html")).to.equal("<p>new</p>");
    rmSync(path("server/graphql/pages/new.html"));
    beforeStart();
    expect(existsSync(path("dist/server/graphql/pages/new.html"))).to.equal(false);
  });

  it("starts over after it was killed", () => {
    rmSync(path("dist/sources.sha256"));
    rmSync(path("dist/server/main.js"));
    beforeStart();
    expect(existsSync(path("dist/server/main.js"))).to.equal(true);
  });

  it("can run in several starts at the same time", async () => {
    writeFileSync(SECRET, `${readFileSync(SECRET, "utf8")}export const again = "yes";\n`);
    const starts = [1, 2, 3].map(() => promisify(exec)(scripts.prestart, { cwd: folder }));
    const told = (await Promise.all(starts)).map(({ stdout, stderr }) => stdout + stderr);
    expect(told).to.deep.equal(["", "", ""]);
    expect(built("secret.js")).to.include('again = "yes"');
    expect(readdirSync(folder).filter((name) => name.startsWith("dist"))).to.deep.equal(["dist"]);
  });

  it("stops the start at a source that does not compile, naming the place", () => {
    const text = readFileSync(SECRET, "utf8");
    writeFileSync(SECRET, `${text}const = 1;\n`);
    const { status, stderr } = beforeStart();
    writeFileSync(SECRET, text);
    expect(status).to.equal(1);
    expect(stderr).to.match(/server\/secret\.ts:\d+:\d+/);
  });

  it("stops the start if sources changed and the compiler is missing, and suggests a fix", () => {
    beforeStart();
    rmSync(path("node_modules"));
    expect(beforeStart().status).to.equal(0);
    writeFileSync(SECRET, `${readFileSync(SECRET, "utf8")}\n`);
    const { status, stderr } = beforeStart();
    expect([status, stderr]).to.deep.equal([
      1,
      "trackway: dist/ is not built from these sources, and building it takes the development dependencies: run npm ci --include=dev\n",
    ]);
  });
});
