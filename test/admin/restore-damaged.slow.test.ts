import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { type Database, openDatabase } from "../../db/open.ts";
import { readBackup } from "../../server/admin/backup/lines.ts";
import { restoreBackup } from "../../server/admin/backup/restore.ts";
import { writeBackup } from "../../server/admin/backup-file.ts";
import { writeFileAtomically } from "../../server/whole-file.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { startOwnServer } from "../support/own-server.ts";
import { spawnServer } from "../support/run/process.ts";
import { createOrganization } from "../support/server.ts";
import { createWorkspaceIn } from "../support/workspace.ts";

/** Every character that some programs treat as the end of a line. */
const TITLE = "One\u2028two\u2029three\u0085four\u000bfive\u000csix\rseven\neight";

const DAMAGES: Readonly<Record<string, (whole: Buffer) => Buffer>> = {
  "lacks its last byte": (whole) => whole.subarray(0, -1),
  "lacks its last eight bytes": (whole) => whole.subarray(0, -8),
  "lacks its last half": (whole) => whole.subarray(0, whole.length / 2),
  "is empty": () => Buffer.alloc(0),
  "has a tail of one byte": (whole) => Buffer.concat([whole, Buffer.from("x")]),
  "has a tail of zeros": (whole) => Buffer.concat([whole, Buffer.alloc(512)]),
  "has a tail that is longer than a buffer": (whole) => Buffer.concat([whole, Buffer.alloc(300_000, "tail\n")]),
  "is followed by another backup": (whole) => Buffer.concat([whole, whole]),
  "is followed by a compressed line": (whole) => Buffer.concat([whole, gzipSync("{}\n")]),
  "has a line behind its end": (whole) => gzipSync(Buffer.concat([gunzipSync(whole), Buffer.from("{}\n")])),
  "has another checksum": (whole) => {
    const flipped = Buffer.from(whole);
    flipped[whole.length - 6] = (flipped[whole.length - 6] ?? 0) ^ 1;
    return flipped;
  },
};

describe("restoring a backup that", () => {
  let folder: string;
  let whole: Buffer;
  let secret: Uint8Array;
  let db: Database;
  let drop: (() => Promise<void>) | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "trackway-damaged-"));
    const { app, end } = await startOwnServer();
    const space = await createWorkspaceIn(await createOrganization(app));
    await space.issue({ title: "One", description: TITLE });
    secret = app.runtime.secret;
    const file = join(folder, "whole");
    await writeFileAtomically(file, (target) => writeBackup(app.runtime.db, secret, target));
    whole = await readFile(file);
    await end();
    const fresh = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
    drop = fresh?.drop;
    const dataDir = join(folder, "data");
    if (!fresh) copyEmptyDatabase(dataDir);
    db = await openDatabase({ dataDir, url: fresh?.url, poolSize: 2 });
  });
  after(async () => {
    await db.close();
    await drop?.();
  });

  const restored = async (content: Buffer): Promise<string> => {
    const file = join(folder, "given");
    await writeFile(file, content);
    return restoreBackup(db, readBackup(file), secret).then(
      () => "restored",
      (error: Error) => error.message,
    );
  };

  for (const [what, damage] of Object.entries(DAMAGES))
    it(`${what} is refused in one line, and nothing of it is kept`, async () => {
      const message = await restored(damage(whole));
      expect(message).to.match(/cut short|continues after the end of the backup|is no backup/);
      expect(message).not.to.contain("\n");
      expect(await db.query({ text: "select id from account union all select id from organization" })).to.deep.equal(
        [],
      );
    });

  it("has a line of 70 MiB is refused in one line, also by the command", async () => {
    const file = join(folder, "bomb");
    const piece = Buffer.alloc(1024 * 1024, "a");
    const pieces = Readable.from(
      (function* () {
        for (let n = 0; n < 70; n += 1) yield piece;
      })(),
    );
    await pipeline(pieces, createGzip({ level: 1 }), async (packed) => writeFile(file, packed));
    const command = ["node", "dist/server/admin/restore-file.js", file];
    const child = spawnServer({ DATA_DIR: join(folder, "bombed") }, command);
    expect(await child.ended).to.equal(1);
    expect(child.output()).to.match(/^trackway: the file is no backup: a line is longer than 64 MiB\n$/);
  });

  it("is a missing file fails in one line that names the file", async () => {
    const child = spawnServer({ DATA_DIR: join(folder, "bombed") }, [
      "node",
      "dist/server/admin/restore-file.js",
      "none.gz",
    ]);
    expect(await child.ended).to.equal(1);
    expect(child.output()).to.match(/^trackway: .*none\.gz.*\n$/);
  });

  it("is undamaged succeeds, with texts that contain every line end", async () => {
    expect(await restored(whole)).to.equal("restored");
    expect(await db.query({ text: "select title, description from issue" })).to.deep.equal([
      { title: "One", description: TITLE },
    ]);
  });
});

describe("a backup into a missing folder", () => {
  it("is refused in one line that names the folder", async () => {
    const folder = await mkdtemp(join(tmpdir(), "trackway-missing-"));
    copyEmptyDatabase(join(folder, "data"));
    const command = ["node", "dist/server/admin/backup.js", join(folder, "none", "x.gz")];
    const child = spawnServer({ DATA_DIR: join(folder, "data") }, command);
    expect(await child.ended).to.equal(1);
    expect(child.output()).to.match(/^trackway: there is no folder .*none: create it, or name another FILE\n$/);
  });
});
