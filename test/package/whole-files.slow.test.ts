import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { CannotOpen } from "../../db/errors/cannot-open.ts";
import { readConfig } from "../../server/config.ts";
import { loadSecret } from "../../server/secret.ts";
import { writeFileWhole, writeTextWhole } from "../../server/whole-file.ts";
import { spawnServer } from "../support/run/process.ts";

const folder = () => mkdtempSync(join(tmpdir(), "trackway-files-"));
const module = (path: string) => JSON.stringify(new URL(`../../server/${path}`, import.meta.url).href);

/** Runs a program of ours in a shell that may limit it first; answers its exit code and what it complained of. */
async function run(program: string, limit = "true") {
  const command = `${limit}; exec "$0" --import tsx/esm --input-type=module -e "$1"`;
  const child = spawn("sh", ["-c", command, process.execPath, program], { stdio: ["ignore", "ignore", "pipe"] });
  const [[code], complaint] = await Promise.all([once(child, "close"), text(child.stderr)]);
  return { code: code as number, complaint };
}

describe("a file the server relies on", function () {
  this.timeout(60_000);

  it("is not there when the disk was full while it was first written", async () => {
    const directory = folder();
    const program = `import { loadSecret } from ${module("secret.ts")};
      await loadSecret({ DATA_DIR: ${JSON.stringify(directory)} });`;
    // No file may grow beyond nothing: what a full disk does, to one process alone.
    const { code, complaint } = await run(program, "ulimit -f 0");
    expect(code, complaint).to.not.equal(0);
    expect(complaint).to.match(/EFBIG|ENOSPC/);
    expect(readdirSync(directory)).to.deep.equal([]);
    expect(await loadSecret({ ...readConfig({}), DATA_DIR: directory })).to.have.length(64);
  });

  it("is what it was before when writing it fails or is killed", async () => {
    const file = join(folder(), "kept");
    await writeTextWhole(file, "as it was");
    const failed = await writeFileWhole(file, async (target) => {
      target.write("half of");
      throw new Error("no space");
    }).catch((error: Error) => error.message);
    expect([failed, readFileSync(file, "utf8")]).to.deep.equal(["no space", "as it was"]);
    expect(existsSync(`${file}.partial`)).to.equal(false);

    const program = `import { writeTextWhole } from ${module("whole-file.ts")};
      for (let n = 0; ; n = (n + 1) % 10) await writeTextWhole(${JSON.stringify(file)}, String(n).repeat(400_000));`;
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
    // The rest after a kill is no hindrance, and is not open to others.
    writeFileSync(`${file}.partial`, "left behind", { mode: 0o644 });
    await writeTextWhole(file, "again");
    expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).to.deep.equal(["again", 0o600]);
  });
});

describe("a server's secret", function () {
  this.timeout(60_000);

  for (const short of ["", "x", " \n", "a".repeat(31), `${"b".repeat(30)}\n\n\n`]) {
    it(`that is ${JSON.stringify(short)} in its file is refused with what to do`, async () => {
      const directory = folder();
      writeFileSync(join(directory, "jwt-secret"), short);
      const refused = await loadSecret({ ...readConfig({}), DATA_DIR: directory }).catch((error: Error) => error);
      expect(refused).to.be.instanceOf(CannotOpen);
      expect((refused as Error).message).to.match(/^DATA_DIR: .*jwt-secret .*32/);
      expect((refused as Error).message).to.not.include("\n");
      expect(readFileSync(join(directory, "jwt-secret"), "utf8")).to.equal(short);
    });
  }

  it("that is refused stops the start with one line, and no keys are made", async () => {
    const directory = folder();
    writeFileSync(join(directory, "jwt-secret"), "x");
    const server = spawnServer({ DATA_DIR: directory });
    expect(await server.ended).to.equal(2);
    expect(server.output().trim().split("\n")).to.have.length(1);
    expect(server.output()).to.include("jwt-secret");
    expect(existsSync(join(directory, "first-run.txt"))).to.equal(false);
  });

  it("in JWT_SECRET has 32 characters that are no white space around it", () => {
    const url = "postgres://trackway@127.0.0.1/none";
    for (const JWT_SECRET of ["x", "a".repeat(31), " ".repeat(40), `${"a".repeat(30)}  `]) {
      expect(() => readConfig({ JWT_SECRET }), JWT_SECRET).to.throw(/^JWT_SECRET: .*32/);
      expect(() => readConfig({ JWT_SECRET, DATABASE_URL: url }), JWT_SECRET).to.throw(/^JWT_SECRET: .*32/);
    }
    expect(readConfig({ JWT_SECRET: "a".repeat(32) }).JWT_SECRET).to.have.length(32);
  });
});
