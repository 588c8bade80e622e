import { join } from "node:path";
import { expect } from "chai";
import { BESIDE_A_FIRST_START, checkoutFolder, PAGES, paste, runnableOf } from "../support/cli/doc-commands.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { findPrograms, ownCluster } from "../support/db/postgres.ts";
import { LISTENING, spawnServer } from "../support/run/process.ts";

/** A backup, and an organization whose id is known: what pages take as given. */
const GIVEN = `
node dist/server/admin/backup.js old.jsonl.gz
node dist/server/admin/admin.js create-owner eve@example.com --organization Other
ID=$(node dist/server/admin/admin.js list organizations | grep -o -m 1 '[0-9a-f-]\\{36\\}')`;
const blocksHere = (page: string) => runnableOf(page).filter((text) => text.includes("npm run "));
const pages = PAGES.filter((page) => !BESIDE_A_FIRST_START.includes(page) && blocksHere(page).length > 0);

describe("an operator's commands of the docs", function () {
  this.timeout(300_000);

  for (const page of pages) {
    it(`work when they are pasted beside a server: ${page}`, async function () {
      const folder = checkoutFolder();
      copyEmptyDatabase(join(folder, "data"));
      const server = spawnServer({ DATA_DIR: join(folder, "data"), TRACKWAY_BOOTSTRAP: "off" });
      await server.printed(LISTENING);
      const toPostgres = blocksHere(page).some((text) => text.includes("postgres://…"));
      if (toPostgres && !findPrograms()) this.skip();
      const cluster = toPostgres ? await ownCluster() : undefined;
      try {
        const blocks = blocksHere(page).map((text) => text.replace("postgres://…", cluster?.url ?? ""));
        await paste(folder, [GIVEN, ...blocks], { SERVER_PID: String(server.child.pid) });
      } finally {
        await server.stop();
        cluster?.remove();
      }
    });
  }

  it("are those of several pages", () => {
    expect(pages).to.include.members(["docs/operations.md", "docs/privacy.md", "docs/sign-in.md"]);
  });
});
