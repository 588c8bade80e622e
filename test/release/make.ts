// Script of `npm run release:fixtures`. Keeps today's build and backups, so that tests of later releases can upgrade
// from this release.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../db/open.ts";
import { SOURCES } from "../../scripts/folders.js";
import { writeBackup } from "../../server/admin/backup-file.ts";
import { requestRefold } from "../../server/admin/refold.ts";
import { writeFileAtomically } from "../../server/whole-file.ts";
import { closeMailReceivers, startMailReceiver } from "../support/accounts/smtp.ts";
import { startOwnCluster } from "../support/db/postgres.ts";
import { closeServers, startSharedServer } from "../support/server.ts";
import { FILLABLE, fill, underWay } from "./fill.ts";
import { answersOf, backupOf, type Kept, ONLY_POSTGRESQL, packedBuild, RELEASE_SECRET, RELEASES } from "./release.ts";
import { emptyTables } from "./tables.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

/** Fills a database and keeps a backup. @throws if a table stayed empty */
async function keepBackup(engine: "embedded" | "postgresql", url?: string): Promise<void> {
  const mail = await startMailReceiver();
  const DATA_DIR = mkdtempSync(join(tmpdir(), "trackway-release-"));
  const SMTP_URL = `smtp://127.0.0.1:${mail.port}`;
  const JWT_SECRET = RELEASE_SECRET;
  const env = { ...FILLABLE, DATA_DIR, JWT_SECRET, SMTP_URL, MAIL_FROM: "trackway@example.com" };
  const app = await startSharedServer({ ...env, ...(url && { DATABASE_URL: url }) });
  const { secret } = app.runtime;
  const space = await fill(app, mail);
  const { email, urlKey, organizationId } = space;
  const kept: Kept = { email, urlKey, organizationId, answers: await answersOf(space) };
  await underWay(space);
  await closeServers();
  await closeMailReceivers();
  const db = await openDatabase({ url, dataDir: DATA_DIR, poolSize: 2 });
  // No server runs any more, so the request to fold again remains in the backup.
  await requestRefold(db, ["--source", "claude-code", "--since", new Date(0).toISOString()]);
  const empty = (await emptyTables(db)).filter((name) => url || !ONLY_POSTGRESQL.includes(name));
  if (empty.length > 0)
    throw new Error(`${engine}: fill these tables too, in test/release/fill.ts: ${empty.join(", ")}`);
  await writeFileAtomically(backupOf(version, engine), (target) => writeBackup(db, secret, target));
  writeFileSync(`${RELEASES}/${version}/${engine}.json`, `${JSON.stringify(kept, null, 1)}\n`);
  await db.close();
  rmSync(DATA_DIR, { recursive: true });
}

/** The parts of the server's package that a server without web pages needs. */
const PARTS = [
  ...SOURCES.filter((name) => !["mcp", "cli", "web"].includes(name)).map((name) => `dist/${name}`),
  ...["package.json", "npm-shrinkwrap.json"],
];

/** Keeps the server's package without pages and source maps, with its lock file. */
function keepBuild(): void {
  const folder = mkdtempSync(join(tmpdir(), "trackway-release-"));
  execFileSync("npm", ["run", "--silent", "pack:server", "--", folder]);
  execFileSync("tar", ["xzf", `${folder}/trackway-server-${version}.tgz`, "-C", folder]);
  const names = PARTS.map((name) => `package/${name}`);
  const same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--exclude=*.map"];
  execFileSync("tar", [...same, "-I", "gzip -9n", "-cf", packedBuild(version), "-C", folder, ...names]);
  rmSync(folder, { recursive: true });
}

rmSync(`${RELEASES}/${version}`, { recursive: true, force: true });
mkdirSync(`${RELEASES}/${version}`, { recursive: true });
await keepBackup("embedded");
const cluster = await startOwnCluster();
await keepBackup("postgresql", cluster.url).finally(() => cluster.remove());
keepBuild();
const sizes = [packedBuild(version), ...["embedded", "postgresql"].map((engine) => backupOf(version, engine))];
for (const path of sizes) console.log(`${path}: ${statSync(path).size} bytes`);
process.exit(0);
