import { expect } from "chai";
import {
  COMMAND_PAGES,
  createCheckoutFolder,
  FIRST_START_PAGES,
  findStaleReasons,
  readRunnableBlocks,
  runBlocks,
} from "../support/cli/doc-commands.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

/** Operator commands need a build and a database, and run in doc-commands-operator.slow.test.ts. */
const blocksHere = (page: string) => readRunnableBlocks(page).filter((text) => !text.includes("npm run "));
const pages = COMMAND_PAGES.filter((page) => !FIRST_START_PAGES.includes(page) && blocksHere(page).length > 0);

/** The example id of the docs, which the test replaces by an existing id. */
const ID = "0198c0de-0000-7000-8000-000000000002";

/** Replaces the placeholders of a page that a reader would replace. */
async function filledIn(page: string, text: string, space: Workspace): Promise<string> {
  const sample = page === "docs/inbox.md" ? await MUTATION_SAMPLES["inboxEntryUpdate"]?.(space) : undefined;
  const [id = ID] = (sample?.["ids"] ?? []) as string[];
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:4000|https:\/\/tracker\.example\.com/g, space.url)
    .replaceAll(ID, id)
    .replace(/(trackway login \S+(?=\s))(?! --)/, "$1 --email $EMAIL")
    .replace("connect claude-code", "$& --yes");
}

describe("the commands in the docs", () => {
  it("are excluded only with a reason, and every excluded command exists", () => {
    expect(findStaleReasons()).to.deep.equal([]);
    expect(pages.length).to.be.greaterThan(8);
  });

  for (const page of pages) {
    it(`work when pasted: ${page}`, async () => {
      const [space, folder] = [await createWorkspace(), createCheckoutFolder()];
      const blocks = await Promise.all(blocksHere(page).map((text) => filledIn(page, text, space)));
      const printed = await runBlocks(folder, blocks, {
        ...{ TRACKER_URL: space.url, TRACKER_API_KEY: space.apiKey, TRACKER_INGEST_KEY: space.ingestKey },
        ...{ TRACKWAY_URL: space.url, TRACKWAY_API_KEY: space.apiKey, TRACKWAY_INGEST_KEY: space.ingestKey },
        ...{ INGEST_KEY: space.ingestKey, ACCESS_TOKEN: space.accessToken, EMAIL: space.email },
        ...{ TRACKWAY_PASSWORD: space.password },
      });
      expect(printed.join("")).to.not.include('"errors"');
    });
  }
});
