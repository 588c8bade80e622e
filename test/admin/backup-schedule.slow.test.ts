import { existsSync, mkdtempSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createLockedTempFolder } from "../../server/admin/backup/own-folder.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { LISTENING_LINE, spawnServer } from "../support/run/process.ts";

const OLD = "trackway-20200101T000000Z.jsonl.gz";

describe("scheduled backups", () => {
  it("are restored as a test before they get their name, replace expired backups, and report their age", async () => {
    const folder = mkdtempSync(join(tmpdir(), "backups-"));
    // The newest backup stays regardless of its age, so one of two old backups is deleted.
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
    const [, url] = await server.printed(LISTENING_LINE);
    await server.printed(/"msg":"backup written and verified by a trial restore"/);
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

  it("clean up after a kill during the test restore, and leave test restores of other processes alone", async () => {
    const [folder, TMPDIR] = ["backups-", "tmp-"].map((name) => mkdtempSync(join(tmpdir(), name))) as [string, string];
    const env = { DATA_DIR: mkdtempSync(join(tmpdir(), "data-")), BACKUP_EVERY: "6h", BACKUP_DIR: folder, TMPDIR };
    copyEmptyDatabase(env.DATA_DIR);
    const left = () => [folder, TMPDIR].map((each) => readdirSync(each).filter((name) => /trial|untried/.test(name)));
    const killed = spawnServer(env);
    while (!readdirSync(TMPDIR).some((name) => existsSync(join(TMPDIR, name, "database.lock")))) await sleep(5);
    expect(await killed.stop("SIGKILL")).to.equal(null);
    const [untried, trial] = left() as [string[], string[]];
    expect([untried.length, trial.length]).to.deep.equal([1, 1]);
    const others = [
      await createLockedTempFolder(folder, "trackway-untried-"),
      await createLockedTempFolder(TMPDIR, "trackway-trial-"),
    ];
    // Files of 0.2.0, which held no lock, so a file may be in use.
    const [old, recent] = ["20200101T000000Z", "20200102T000000Z"].map((time) => `trackway-${time}.jsonl.gz.untried`);
    for (const name of [old, recent]) writeFileSync(join(folder, String(name)), "");
    utimesSync(join(folder, String(old)), 0, 0);
    const server = spawnServer(env);
    await server.printed(/"msg":"backup written and verified by a trial restore"/);
    const stay = others.map(({ path }) => basename(path));
    expect(left()).to.deep.equal([[stay[0], recent].sort(), [stay[1]]]);
    expect(await server.stop()).to.equal(0);
    for (const each of others) await each.remove();
    expect(left()).to.deep.equal([[recent], []]);
  });

  it("are aborted when the server stops, and leave nothing", async () => {
    const [folder, TMPDIR] = ["backups-", "tmp-"].map((name) => mkdtempSync(join(tmpdir(), name))) as [string, string];
    const env = { DATA_DIR: mkdtempSync(join(tmpdir(), "data-")), BACKUP_EVERY: "6h", BACKUP_DIR: folder, TMPDIR };
    copyEmptyDatabase(env.DATA_DIR);
    const server = spawnServer(env);
    while (!readdirSync(TMPDIR).some((name) => existsSync(join(TMPDIR, name, "database.lock")))) await sleep(5);
    await server.printed(/Explore the API/);
    expect(await server.stop()).to.equal(0);
    expect(readdirSync(folder).concat(readdirSync(TMPDIR).filter((name) => name.includes("trial")))).to.deep.equal([]);
  });

  it("that cannot be written are counted and leave nothing, and the server keeps running", async () => {
    const parent = mkdtempSync(join(tmpdir(), "backups-"));
    // A file in place of the folder.
    writeFileSync(join(parent, "file"), "");
    const env = {
      DATA_DIR: mkdtempSync(join(tmpdir(), "data-")),
      BACKUP_EVERY: "1m",
      BACKUP_DIR: join(parent, "file"),
      METRICS: "on",
    };
    copyEmptyDatabase(env.DATA_DIR);
    const server = spawnServer(env);
    const [, url] = await server.printed(LISTENING_LINE);
    await server.printed(/"msg":"backup failed; the server will retry"/);
    expect(await (await fetch(`${url}/metrics`)).text()).to.match(/^backup_failures_total 1$/m);
    expect((await fetch(`${url}/api/health`)).status).to.equal(200);
    await server.printed(/Explore the API/);
    expect(await server.stop()).to.equal(0);
  });
});
