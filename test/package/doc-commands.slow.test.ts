import { expect } from "chai";
import {
  BESIDE_A_FIRST_START,
  checkoutFolder,
  PAGES,
  paste,
  runnableOf,
  staleReasons,
} from "../support/cli/doc-commands.ts";
import { SAMPLES } from "../support/graphql/mutations.ts";
import { freshWorkspace, type Workspace } from "../support/workspace.ts";

/** Those of an operator take a build and a database: doc-commands-operator.slow.test.ts. */
const blocksHere = (page: string) => runnableOf(page).filter((text) => !text.includes("npm run "));
const pages = PAGES.filter((page) => !BESIDE_A_FIRST_START.includes(page) && blocksHere(page).length > 0);

/** An id of the docs, for which a page needs one that exists. */
const ID = "0198c0de-0000-7000-8000-000000000002";

/** Puts in what a page cannot know and its reader does. */
async function filledIn(page: string, text: string, space: Workspace): Promise<string> {
  const sample = page === "docs/inbox.md" ? await SAMPLES["inboxEntryUpdate"]?.(space) : undefined;
  const [id = ID] = (sample?.["ids"] ?? []) as string[];
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:4000|https:\/\/tracker\.example\.com/g, space.url)
    .replaceAll(ID, id)
    .replace(/(trackway login \S+(?=\s))(?! --)/, "$1 --email $EMAIL")
    .replace("connect claude-code", "$& --yes");
}

describe("the commands of the docs", function () {
  this.timeout(60_000);

  it("are left out for a reason, and only those that there are", () => {
    expect(staleReasons()).to.deep.equal([]);
    expect(pages.length).to.be.greaterThan(8);
  });

  for (const page of pages) {
    it(`work when they are pasted: ${page}`, async () => {
      const [space, folder] = [await freshWorkspace(), checkoutFolder()];
      const blocks = await Promise.all(blocksHere(page).map((text) => filledIn(page, text, space)));
      const printed = await paste(folder, blocks, {
        ...{ TRACKER_URL: space.url, TRACKER_API_KEY: space.apiKey, TRACKER_INGEST_KEY: space.ingestKey },
        ...{ TRACKWAY_URL: space.url, TRACKWAY_API_KEY: space.apiKey, TRACKWAY_INGEST_KEY: space.ingestKey },
        ...{ INGEST_KEY: space.ingestKey, ACCESS_TOKEN: space.accessToken, EMAIL: space.email },
        ...{ TRACKWAY_PASSWORD: space.password },
      });
      expect(printed.join("")).to.not.include('"errors"');
    });
  }
});
