import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { loadServerSecret } from "../../server/secret.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { spawnServer } from "../support/run/process.ts";
import { createOrganization, startServer, type Tenant } from "../support/server.ts";

const isRoot = process.getuid?.() === 0;
/** A user who owns none of the files. */
const STRANGER = 12_345;
const folder = () => mkdtempSync(join(tmpdir(), "trackway-writers-"));

/** Runs a program. `shell` may change the user or the streams. */
async function run(args: string[], cwd: string, env: Record<string, string>, input = "", shell = 'exec "$@"') {
  const child = spawn("sh", ["-c", shell, "sh", process.execPath, ...args], {
    cwd,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: cwd, ...env },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number | null, stdout, stderr };
}

/** Runs a shell command and returns its output. */
async function sh(command: string, ...args: string[]): Promise<Buffer> {
  const child = spawn("sh", ["-c", command, "sh", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const parts: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => parts.push(part));
  const [code] = await once(child, "close");
  expect(code, command).to.equal(0);
  return Buffer.concat(parts);
}

describe("a program that writes a file named by the user", () => {
  let app: App;
  let tenant: Tenant;

  before(async () => {
    app = await startServer();
    tenant = await createOrganization(app);
    const { teamCreate } = await tenant.gql(
      'mutation { teamCreate(input: { name: "Engineering", key: "ENG" }) { team { id } } }',
    );
    await tenant.gql("mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }", {
      input: { teamId: teamCreate.team.id, title: "Written whole" },
    });
  });

  /** The programs that write files: arguments for a path, and a check that the file is complete. */
  const writers = () => ({
    export: {
      args: (path: string) => [resolve("cli/bin.js"), "export", "--output", path],
      env: { TRACKWAY_URL: app.url, TRACKWAY_API_KEY: tenant.apiKey },
      isWhole: (bytes: Buffer) => /^\{"team":.*\n$/s.test(bytes.toString()),
    },
    backup: {
      args: (path: string) => [resolve("dist/server/admin/backup.js"), path],
      env: {
        DATA_DIR: app.runtime.config.DATA_DIR,
        ...(app.runtime.config.DATABASE_URL && {
          DATABASE_URL: app.runtime.config.DATABASE_URL,
          JWT_SECRET: String(app.runtime.config.JWT_SECRET),
        }),
      },
      isWhole: (bytes: Buffer) => /\n$/.test(gunzipSync(bytes).toString()),
    },
  });

  for (const name of ["export", "backup"] as const) {
    const write = async (path: string, cwd = dirname(path), shell?: string) =>
      run(writers()[name].args(path), cwd, writers()[name].env, "", shell);
    const isWhole = (bytes: Buffer) =>
      expect(writers()[name].isWhole(bytes), bytes.toString().slice(0, 200)).to.equal(true);

    it(`follows and keeps links, including dangling and nested links: ${name}`, async () => {
      const at = folder();
      mkdirSync(join(at, "far"));
      writeFileSync(join(at, "far", "real"), "old", { mode: 0o640 });
      for (const [link, to, target] of [
        ["link", "far/real", "far/real"],
        ["dangling", "far/new", "far/new"],
        ["nested", "link", "far/real"],
      ] as const) {
        symlinkSync(to, join(at, link));
        const { code, stderr } = await write(join(at, link));
        expect(code, stderr).to.equal(0);
        expect(readlinkSync(join(at, link))).to.equal(to);
        expect(lstatSync(join(at, target)).isFile()).to.equal(true);
        isWhole(readFileSync(join(at, target)));
      }
      expect(readdirSync(join(at, "far")).sort()).to.deep.equal(["new", "real"]);
      const mode = lstatSync(join(at, "far", "real")).mode & 0o777;
      expect(mode).to.equal(name === "backup" ? 0o600 : 0o640);
    });

    it(`writes into a pipe and keeps the pipe: ${name}`, async () => {
      const at = folder();
      const pipe = join(at, "pipe");
      await sh('mkfifo "$1"', pipe);
      const [bytes, { code, stderr }] = await Promise.all([sh('cat "$1"', pipe), write(pipe)]);
      expect(code, stderr).to.equal(0);
      expect(lstatSync(pipe).isFIFO()).to.equal(true);
      isWhole(bytes);
    });

    it(`writes into a device and keeps the device: ${name}`, async function () {
      if (!isRoot) this.skip();
      const device = join(folder(), "null");
      await sh('mknod "$1" c 1 3', device);
      const { code, stderr } = await write(device);
      expect(code, stderr).to.equal(0);
      expect(lstatSync(device).isCharacterDevice()).to.equal(true);
      expect(readdirSync(dirname(device))).to.deep.equal(["null"]);
    });

    it(`appends to the standard output that a shell opened, by any of its names: ${name}`, async () => {
      const at = folder();
      for (const path of ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]) {
        writeFileSync(join(at, "log"), "");
        const { code, stderr } = await write(path, at, 'exec "$@" >> log');
        expect(code, stderr).to.equal(0);
        const bytes = readFileSync(join(at, "log"));
        if (name === "export") isWhole(bytes);
        else expect(bytes.subarray(0, 2)).to.deep.equal(Buffer.from([0x1f, 0x8b]));
      }
    });

    it(`reports a folder, a missing folder or an unwritable folder in one line: ${name}`, async () => {
      const at = folder();
      mkdirSync(join(at, "closed"));
      const [asStranger, user] = isRoot
        ? [`exec setpriv --reuid ${STRANGER} --regid ${STRANGER} --clear-groups "$@"`, "a stranger"]
        : [undefined, "the owner"];
      chmodSync(join(at, "closed"), 0o555);
      chmodSync(at, 0o755);
      const cases: [path: string, line: RegExp, shell: string | undefined][] = [
        [join(at, "closed"), /closed cannot be written \(EEXIST\): it is a folder/, undefined],
        [join(at, "none", "file"), /none/, undefined],
      ];
      // Only its owner may enter the folder of the server's socket.
      if (name === "export") cases.push([join(at, "closed", "file"), /\(EACCES\).*closed/, asStranger]);
      for (const [path, line, shell] of cases) {
        const { code, stderr } = await write(path, at, shell);
        expect([path, user, code === 0]).to.deep.equal([path, user, false]);
        expect(stderr.trim().split("\n"), stderr).to.have.length(1);
        expect(stderr).to.match(line);
      }
      expect(readdirSync(join(at, "closed"))).to.deep.equal([]);
    });
  }

  it("keeps the old content if the disk is full: export", async () => {
    const at = folder();
    writeFileSync(join(at, "kept"), "old");
    const { args, env } = writers().export;
    const { code, stderr } = await run(args(join(at, "kept")), at, env, "", 'ulimit -f 0; exec "$@"');
    expect(code).to.equal(1);
    expect(stderr).to.match(/kept cannot be written \(EFBIG\): no space is left/);
    expect([readFileSync(join(at, "kept"), "utf8"), readdirSync(at)]).to.deep.equal(["old", ["kept"]]);
  });

  it("follows the user's own link of its settings, and no link of another user: login", async function () {
    const at = folder();
    mkdirSync(join(at, ".config", "trackway"), { recursive: true });
    const link = join(at, ".config", "trackway", "login.json");
    symlinkSync(join(at, "kept.json"), link);
    const logIn = () => run([resolve("cli/bin.js"), "login", app.url, "--token-stdin"], at, {}, tenant.apiKey);
    const first = await logIn();
    expect([first.code, first.stderr]).to.deep.equal([0, ""]);
    expect(readFileSync(join(at, "kept.json"), "utf8")).to.include(tenant.apiKey);
    expect([readlinkSync(link), lstatSync(join(at, "kept.json")).mode & 0o777]).to.deep.equal([
      join(at, "kept.json"),
      0o600,
    ]);
    if (!isRoot) this.skip();
    writeFileSync(join(at, "kept.json"), "{}");
    lchownSync(link, STRANGER, STRANGER);
    const { code, stderr } = await logIn();
    expect(code).not.to.equal(0);
    expect(stderr).to.match(/is a link that another user \(12345\) created; remove it/);
    expect(readFileSync(join(at, "kept.json"), "utf8")).to.equal("{}");
  });
});

describe("a server that writes its own files", () => {
  it("writes no secret and no credentials through a link of another user, and names the link", async function () {
    if (!isRoot) this.skip();
    const DATA_DIR = folder();
    copyEmptyDatabase(DATA_DIR);
    const victim = join(folder(), "victim");
    for (const name of ["jwt-secret", "first-run.begun", "first-run.txt"]) {
      const link = join(DATA_DIR, name);
      symlinkSync(victim, link);
      lchownSync(link, STRANGER, STRANGER);
      const server = spawnServer({ DATA_DIR });
      expect([name, await server.ended]).to.deep.equal([name, 2]);
      const lines = server
        .output()
        .trim()
        .split("\n")
        .filter((line) => !line.startsWith("{"));
      expect(lines).to.have.length(1);
      expect(lines[0]).to.match(/^trackway: DATA_DIR: .* is a link that another user \(12345\) created; remove it/);
      expect(existsSync(victim)).to.equal(false);
      await sh('rm "$1"', link);
    }
    const server = spawnServer({ DATA_DIR });
    await server.printed(/Explore the API/);
    expect(await server.stop()).to.equal(0);
    expect(lstatSync(join(DATA_DIR, "first-run.txt")).mode & 0o777).to.equal(0o600);
  });

  it("locks no file through a link", async () => {
    const DATA_DIR = folder();
    const victim = join(folder(), "victim");
    writeFileSync(victim, "kept");
    symlinkSync(victim, join(DATA_DIR, "database.lock"));
    const server = spawnServer({ DATA_DIR });
    expect(await server.ended).to.equal(2);
    expect(server.output()).to.match(
      /^trackway: DATA_DIR: .*database\.lock cannot be used: a link is in the way \(ELOOP\); remove the link/m,
    );
    expect(readFileSync(victim, "utf8")).to.equal("kept");
  });

  it("keeps a secret behind its owner's link", async () => {
    const DATA_DIR = folder();
    const kept = join(folder(), "kept");
    symlinkSync(kept, join(DATA_DIR, "jwt-secret"));
    const secret = await loadServerSecret({ DATA_DIR } as Parameters<typeof loadServerSecret>[0]);
    expect(readFileSync(kept, "utf8")).to.equal(Buffer.from(secret).toString());
    expect(lstatSync(join(DATA_DIR, "jwt-secret")).isSymbolicLink()).to.equal(true);
  });
});
