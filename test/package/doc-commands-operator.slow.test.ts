import { join } from "node:path";
import { expect } from "chai";
import {
  COMMAND_PAGES,
  createCheckoutFolder,
  FIRST_START_PAGES,
  readRunnableBlocks,
  runBlocks,
} from "../support/cli/doc-commands.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { findPostgresPrograms, startOwnCluster } from "../support/db/postgres.ts";
import { LISTENING_LINE, spawnServer } from "../support/run/process.ts";

/** Prerequisites of the pages: a backup, and an organization with a known id. */
const GIVEN = `
node dist/server/admin/backup.js old.jsonl.gz
node dist/server/admin/admin.js create-owner eve@example.com --organization Other
ID=$(node dist/server/admin/admin.js list organizations | grep -o -m 1 '[0-9a-f-]\\{36\\}')`;
const blocksHere = (page: string) => readRunnableBlocks(page).filter((text) => text.includes("npm run "));
const pages = COMMAND_PAGES.filter((page) => !FIRST_START_PAGES.includes(page) && blocksHere(page).length > 0);

describe("the operator commands in the docs", () => {
  for (const page of pages) {
    it(`work when pasted beside a server: ${page}`, async function () {
      const folder = createCheckoutFolder();
      copyEmptyDatabase(join(folder, "data"));
      const server = spawnServer({ DATA_DIR: join(folder, "data"), TRACKWAY_BOOTSTRAP: "off" });
      await server.printed(LISTENING_LINE);
      const toPostgres = blocksHere(page).some((text) => text.includes("postgres://…"));
      if (toPostgres && !findPostgresPrograms()) this.skip();
      const cluster = toPostgres ? await startOwnCluster() : undefined;
      try {
        const blocks = blocksHere(page).map((text) => text.replace("postgres://…", cluster?.url ?? ""));
        await runBlocks(folder, [GIVEN, ...blocks], { SERVER_PID: String(server.child.pid) });
      } finally {
        await server.stop();
        cluster?.remove();
      }
    });
  }

  it("come from several pages", () => {
    expect(pages).to.include.members(["docs/operations.md", "docs/privacy.md", "docs/sign-in.md"]);
  });
});
