import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import {
  citusUrl,
  createCitusDatabase,
  dropCitusDatabase,
  runAdminProgram,
  runDistribute,
} from "../support/db/citus.ts";
import { createDatabase, runSql } from "../support/db/postgres.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { callRestApi, createOrganization, startServer } from "../support/server.ts";

(citusUrl ? describe : describe.skip)("on Citus, a restore", () => {
  let source: { url: string; drop(): Promise<void> };
  let target: string;
  const file = join(mkdtempSync(join(tmpdir(), "trackway-restore-")), "backup.jsonl.gz");

  before(async () => {
    source = await createDatabase();
    target = await createCitusDatabase(`restore_${randomUUID().slice(0, 8)}`);
    const app = await startServer({ DATABASE_URL: source.url });
    const { ingestKey } = await createOrganization(app);
    const post = { body: createEvent(), headers: { "x-api-key": ingestKey } };
    expect((await callRestApi(app.url, "POST", "/api/v1/capture-event", post)).status).to.equal(200);
    await app.close();
    runAdminProgram("backup", source.url, file);
  });

  after(async () => {
    await source.drop();
    await dropCitusDatabase(target);
  });

  it("works before the tables are distributed, and the tables are distributed with their rows", async () => {
    expect(runAdminProgram("restore-file", target, file)).to.match(/^\d+ rows of .* restored/);
    expect(runDistribute(target, "--apply")).to.match(/Done, in \d+ statements/);
    // A restore resets the columns of recorded_session that jobs compute again.
    for (const rows of ["* from account", "* from organization", "session_id, source from recorded_session"])
      expect(await runSql(target, `select ${rows}`)).to.deep.equal(await runSql(source.url, `select ${rows}`));
  });

  it("is refused once the tables are distributed, and names the cure", async () => {
    const empty = await createCitusDatabase(`restore_${randomUUID().slice(0, 8)}`);
    runDistribute(empty, "--apply");
    expect(() => runAdminProgram("restore-file", empty, file)).to.throw(
      "restore into a new database that is not distributed",
    );
    expect(await runSql(empty, "select count(*)::integer as rows from account")).to.deep.equal([{ rows: 0 }]);
    await dropCitusDatabase(empty);
  });
});
