import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { findPostgresPrograms } from "../support/db/postgres.ts";

const MODULE = new URL("../support/db/postgres.ts", import.meta.url).href;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Polls until `holds` returns true. @throws after 20 s */
async function until(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 20_000; !holds(); await sleep(50))
    if (performance.now() > end) throw new Error("it did not come about within 20 s");
}

describe("a PostgreSQL cluster started by a test run", () => {
  before(function () {
    if (!findPostgresPrograms()) this.skip();
  });

  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    it(`ends, and its files are removed, when ${signal} ends the run`, async () => {
      const program = `import { startOwnCluster as ownCluster } from ${JSON.stringify(MODULE)};
        console.log((await ownCluster()).log); setInterval(() => {}, 1_000);`;
      const run = spawn(process.execPath, ["--import", "tsx/esm", "--input-type=module", "--eval", program], {
        cwd: ROOT,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [log] = await once(createInterface(run.stdout), "line");
      const directory = dirname(log);
      const postmaster = Number(readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n")[0]);
      expect(isRunning(postmaster)).to.equal(true);
      run.kill(signal);
      try {
        await until(() => !isRunning(postmaster) && !existsSync(directory));
      } finally {
        if (isRunning(postmaster)) process.kill(postmaster, "SIGQUIT");
      }
    });
  }
});
