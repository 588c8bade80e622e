import { mkdtempSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { LISTENING, spawnServer } from "../support/run/process.ts";

const OLD = "trackway-20200101T000000Z.jsonl.gz";

describe("backups on a schedule", function () {
  this.timeout(120_000);

  it("are restored on trial before they have their name, take away those that are too old, and tell their age", async () => {
    const folder = mkdtempSync(join(tmpdir(), "backups-"));
    // The newest stays whatever its age, so two that are old: one goes.
    for (const name of [OLD, "trackway-20200102T000000Z.jsonl.gz"]) {
      writeFileSync(join(folder, name), "");
      utimesSync(join(folder, name), 0, 0);
    }
    const env = {
      DATA_DIR: mkdtempSync(join(tmpdir(), "data-")),
      BACKUP_EVERY: "6h",
      BACKUP_DIR: folder,
      METRICS: "on",
    };
    copyEmptyDatabase(env.DATA_DIR);
    const server = spawnServer(env);
    const [, url] = await server.printed(LISTENING);
    await server.printed(/"msg":"backup written, and restored on trial"/);
    const names = readdirSync(folder);
    expect(names).to.have.length(1);
    const [name = ""] = names;
    expect(name)
      .to.match(/^trackway-2[0-9]{7}T[0-9]{6}Z\.jsonl\.gz$/)
      .and.not.equal(OLD);
    expect(statSync(join(folder, name)).mode & 0o777).to.equal(0o600);
    const text = await (await fetch(`${url}/metrics`)).text();
    const at = Number(/^backup_last_success_timestamp_seconds (\S+)$/m.exec(text)?.[1]);
    expect(Date.now() / 1000 - at).to.be.within(0, 120);
    await server.printed(/Explore the API/);
    expect(await server.stop()).to.equal(0);
    const target = mkdtempSync(join(tmpdir(), "data-"));
    const restore = spawnServer({ DATA_DIR: target }, [
      "node",
      "dist/server/admin/restore-file.js",
      join(folder, name),
    ]);
    expect(await restore.ended).to.equal(0);
    expect(restore.output()).to.match(/\d+ rows of .* restored/);
  });

  it("that cannot be written are counted, leave nothing behind, and the server goes on", async () => {
    const parent = mkdtempSync(join(tmpdir(), "backups-"));
    // A file where the folder should be.
    writeFileSync(join(parent, "file"), "");
    const env = {
      DATA_DIR: mkdtempSync(join(tmpdir(), "data-")),
      BACKUP_EVERY: "1m",
      BACKUP_DIR: join(parent, "file"),
      METRICS: "on",
    };
    copyEmptyDatabase(env.DATA_DIR);
    const server = spawnServer(env);
    const [, url] = await server.printed(LISTENING);
    await server.printed(/"msg":"backup failed; tried again later"/);
    expect(await (await fetch(`${url}/metrics`)).text()).to.match(/^backup_failures_total 1$/m);
    expect((await fetch(`${url}/api/health`)).status).to.equal(200);
    await server.printed(/Explore the API/);
    expect(await server.stop()).to.equal(0);
  });
});
