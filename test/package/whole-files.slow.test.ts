import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { DatabaseOpenError } from "../../db/errors/cannot-open.ts";
import { readConfig } from "../../server/config.ts";
import { loadServerSecret } from "../../server/secret.ts";
import { writeFileAtomically, writeTextFileAtomically } from "../../server/whole-file.ts";
import { spawnServer } from "../support/run/process.ts";

const folder = () => mkdtempSync(join(tmpdir(), "trackway-files-"));
const module = (path: string) => JSON.stringify(new URL(`../../server/${path}`, import.meta.url).href);

/** Runs a program in a shell that may set a limit first. Returns exit code and error output. */
async function run(program: string, limit = "true") {
  const command = `${limit}; exec "$0" --import tsx/esm --input-type=module -e "$1"`;
  const child = spawn("sh", ["-c", command, process.execPath, program], { stdio: ["ignore", "ignore", "pipe"] });
  const [[code], complaint] = await Promise.all([once(child, "close"), text(child.stderr)]);
  return { code: code as number, complaint };
}

describe("a file that the server depends on", () => {
  it("does not exist after the disk was full at its first write", async () => {
    const directory = folder();
    const program = `import { loadServerSecret } from ${module("secret.ts")};
      await loadServerSecret({ DATA_DIR: ${JSON.stringify(directory)} });`;
    // No file may grow beyond 0 bytes. This simulates a full disk for a single process.
    const { code, complaint } = await run(program, "ulimit -f 0");
    expect(code, complaint).to.not.equal(0);
    expect(complaint).to.match(/EFBIG|ENOSPC/);
    expect(readdirSync(directory)).to.deep.equal([]);
    expect(await loadServerSecret({ ...readConfig({}), DATA_DIR: directory })).to.have.length(64);
  });

  it("keeps its old content when a write fails or is killed", async () => {
    const file = join(folder(), "kept");
    await writeTextFileAtomically(file, "as it was");
    const failed = await writeFileAtomically(file, async (target) => {
      target.write("half of");
      throw new Error("no space");
    }).catch((error: Error) => error.message);
    expect([failed, readFileSync(file, "utf8")]).to.deep.equal(["no space", "as it was"]);
    expect(existsSync(`${file}.partial`)).to.equal(false);

    const program = `import { writeTextFileAtomically } from ${module("whole-file.ts")};
      for (let n = 0; ; n = (n + 1) % 10) await writeTextFileAtomically(${JSON.stringify(file)}, String(n).repeat(400_000));`;
    const child = spawn(process.execPath, ["--import", "tsx/esm", "--input-type=module", "-e", program], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const ended = Promise.all([once(child, "close"), text(child.stderr)]);
    const whole = () => {
      const content = readFileSync(file, "utf8");
      return content.length === 400_000 && content === content.charAt(0).repeat(400_000);
    };
    try {
      while (statSync(file).size < 400_000) {
        if (child.exitCode !== null) expect.fail(`the writer ended by itself: ${(await ended)[1]}`);
        await sleep(5);
      }
      for (let look = 0; look < 20; look += 1) {
        expect(whole()).to.equal(true);
        await sleep(5);
      }
    } finally {
      child.kill("SIGKILL");
    }
    expect((await ended)[0], "killed while it wrote").to.deep.equal([null, "SIGKILL"]);
    expect(whole()).to.equal(true);
    // The partial file of a killed process does not block the next write. The new file is readable only by its owner.
    writeFileSync(`${file}.partial`, "left behind", { mode: 0o644 });
    await writeTextFileAtomically(file, "again");
    expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).to.deep.equal(["again", 0o600]);
  });
});

describe("a server's secret", () => {
  for (const short of ["", "x", " \n", "a".repeat(31), `${"b".repeat(30)}\n\n\n`]) {
    it(`is refused with a fix if its file contains ${JSON.stringify(short)}`, async () => {
      const directory = folder();
      writeFileSync(join(directory, "jwt-secret"), short);
      const refused = await loadServerSecret({ ...readConfig({}), DATA_DIR: directory }).catch((error: Error) => error);
      expect(refused).to.be.instanceOf(DatabaseOpenError);
      expect((refused as Error).message).to.match(/^DATA_DIR: .*jwt-secret .*32/);
      expect((refused as Error).message).to.not.include("\n");
      expect(readFileSync(join(directory, "jwt-secret"), "utf8")).to.equal(short);
    });
  }

  it("stops the start with one line and without new keys if refused", async () => {
    const directory = folder();
    writeFileSync(join(directory, "jwt-secret"), "x");
    const server = spawnServer({ DATA_DIR: directory });
    expect(await server.ended).to.equal(2);
    expect(server.output().trim().split("\n")).to.have.length(1);
    expect(server.output()).to.include("jwt-secret");
    expect(existsSync(join(directory, "first-run.txt"))).to.equal(false);
  });

  it("in JWT_SECRET needs 32 characters without surrounding white space", () => {
    const url = "postgres://trackway@127.0.0.1/none";
    for (const JWT_SECRET of ["x", "a".repeat(31), " ".repeat(40), `${"a".repeat(30)}  `]) {
      expect(() => readConfig({ JWT_SECRET }), JWT_SECRET).to.throw(/^JWT_SECRET: .*32/);
      expect(() => readConfig({ JWT_SECRET, DATABASE_URL: url }), JWT_SECRET).to.throw(/^JWT_SECRET: .*32/);
    }
    expect(readConfig({ JWT_SECRET: "a".repeat(32) }).JWT_SECRET).to.have.length(32);
  });
});
