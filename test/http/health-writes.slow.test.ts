import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { openDatabase } from "../../db/open.ts";
import { createDatabase, describeOnPostgres, runSql } from "../support/db/postgres.ts";
import { callRestApi, startServer } from "../support/server.ts";

/** Ends all other connections and waits for each end, because a connection that is still ending would respond. */
const END_OTHERS =
  "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
const BASE = String(process.env["TEST_DATABASE_URL"]);
const SECRET = "a secret of the tests, long enough to be one";

/** Polls a server's health until the status is `wanted`. The timeout of the test is the only limit. */
async function answers(url: string, wanted: number): Promise<void> {
  while ((await callRestApi(url, "GET", "/api/health")).status !== wanted) await sleep(200);
}

describeOnPostgres("health on PostgreSQL without writes", () => {
  it("is 503 on a read-only database that responds to reads, and 200 afterwards", async () => {
    const made = await createDatabase();
    const { url, close } = await startServer({ DATABASE_URL: made.url, JWT_SECRET: SECRET });
    await answers(url, 200);
    const name = new URL(made.url).pathname.slice(1);
    const readOnly = async (value: "on" | "off") => {
      await runSql(BASE, `alter database ${name} set default_transaction_read_only = ${value}`);
      // Makes the server open new connections, as after a failover.
      await runSql(made.url, END_OTHERS);
    };
    await readOnly("on");
    await answers(url, 503);
    const { body } = await callRestApi(url, "GET", "/api/health");
    expect(body).to.include({ status: "unavailable", database: "unavailable" });
    await readOnly("off");
    await answers(url, 200);
    await close();
    await made.drop();
  });
});

describe("ping on a full disk", () => {
  let directory = "";
  before(function () {
    directory = mkdtempSync(join(tmpdir(), "trackway-full-"));
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=300m", "tmpfs", directory], { stdio: "ignore" });
    } catch {
      this.skip(); // The process has no permission to mount a small file system.
    }
  });
  after(() => {
    try {
      execFileSync("umount", ["-l", directory], { stdio: "ignore" });
    } catch {
      // The mount did not happen.
    }
    rmSync(directory, { recursive: true, force: true });
  });

  it("is false on the embedded engine, and true again once there is space", async () => {
    const db = await openDatabase({ dataDir: join(directory, "data"), poolSize: 1, warn: () => {} });
    expect(await db.ping()).to.equal(true);
    const { bavail, bsize } = statfsSync(directory);
    writeFileSync(join(directory, "filler"), Buffer.alloc(bavail * bsize));
    await sleep(2_500);
    while (await db.ping()) await sleep(200);
    rmSync(join(directory, "filler"));
    while (!(await db.ping())) await sleep(200);
    await db.close();
  });
});
