import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { openDatabase } from "../../db/open.ts";
import { readBackup } from "../../server/admin/backup/lines.ts";
import { parseBackupMarker, restoreBackup } from "../../server/admin/backup/restore.ts";
import { runCommand } from "../../server/admin/commands.ts";
import { repairOrganizationValues } from "../../server/jobs/derived/repair.ts";
import { JOBS } from "../../server/jobs/index.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { sendGraphQL, startServer } from "../support/server.ts";
import {
  answersOf,
  backupOf,
  ENGINES,
  type Kept,
  ONLY_POSTGRESQL,
  packedBuild,
  RELEASE_SECRET,
  RELEASES,
  releases,
} from "./release.ts";
import { rowsOf } from "./tables.ts";

/** A restore empties these tables, and jobs derive the rows again. */
const DERIVED = /^recorded_(action|delta|failure|tool_day|tool_hour|usage_day|usage_hour)$/;
/** A deletion was in progress. The restore completes the deletion, which removes a session and an event. */
const ENDED = /^recorded_(deletion|session|event)$/;
const restoredRows = (name: string, rows: number): number =>
  DERIVED.test(name) ? 0 : ENDED.test(name) ? rows - 1 : rows;

/** Returns the number of rows of each table in a backup. */
async function rowsIn(path: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let table = "";
  for await (const line of readBackup(path)) {
    const mark = parseBackupMarker(line);
    if (mark?.end) return counts;
    if (mark) table = mark.table;
    if (mark) counts[table] = 0;
    else if (table) counts[table] = (counts[table] ?? 0) + 1;
  }
  return counts;
}

for (const version of releases()) {
  describe(`the kept release ${version}`, () => {
    it("has a packed build with its lock file", () => {
      const names = execFileSync("tar", ["tzf", packedBuild(version)], { encoding: "utf8" });
      expect(names.split("\n")).to.include.members(["package/dist/server/main.js", "package/npm-shrinkwrap.json"]);
      const manifest = execFileSync("tar", ["xzOf", packedBuild(version), "package/package.json"], {
        encoding: "utf8",
      });
      expect(JSON.parse(manifest)).to.include({ version });
    });

    for (const engine of ENGINES)
      it(`is restored completely from its backup of ${engine}, with correct derived values`, async () => {
        const rows = await rowsIn(backupOf(version, engine));
        const empty = Object.keys(rows).filter((name) => rows[name] === 0);
        expect(empty).to.deep.equal(engine === "embedded" ? ONLY_POSTGRESQL : []);
        const fresh = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
        const DATA_DIR = mkdtempSync(join(tmpdir(), "trackway-kept-"));
        const db = await openDatabase({ dataDir: DATA_DIR, url: fresh?.url, poolSize: 2 });
        const secret = new TextEncoder().encode(RELEASE_SECRET);
        const restored = await restoreBackup(db, readBackup(backupOf(version, engine)), secret);
        expect(restored.sameSecret).to.equal(true);
        const there = await rowsOf(db);
        for (const [name, count] of Object.entries(rows))
          if (name in there) expect(there[name], name).to.equal(restoredRows(name, count));
        await db.close();

        const app = await startServer({
          DATA_DIR,
          JWT_SECRET: RELEASE_SECRET,
          ...(fresh && { DATABASE_URL: fresh.url }),
        });
        const kept: Kept = JSON.parse(readFileSync(`${RELEASES}/${version}/${engine}.json`, "utf8"));
        for (const job of Object.values(JOBS)) if (job.makesUp) await job.work(app.runtime);
        const said = await runCommand(app.runtime, ["create-key", kept.email, kept.urlKey]);
        const [key = ""] = /trk_api_[0-9a-f]+/.exec(said) ?? [];
        const gql = async (query: string) => (await sendGraphQL(app.url, key, { query })).data;
        expect(await answersOf({ gql })).to.deep.equal(kept.answers);
        expect(await repairOrganizationValues(app.runtime, kept.organizationId)).to.deep.equal({});
        await app.close();
        await fresh?.drop();
      });
  });
}
