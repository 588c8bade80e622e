import { expect } from "chai";
import { StatementTimeoutError } from "../../../db/errors/unavailable.ts";
import type { App } from "../../../server/app.ts";
import { countPagesRead } from "../../support/db/pages-read.ts";
import { createHardText, HARD_WORDS } from "../../support/hostile/hostile-tenant.ts";
import { startSharedServer } from "../../support/server.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const LONG = 220 * 1024;
/** All of the words stand at the end of each text, so each comparison reads the entire text. */
const WORDS = HARD_WORDS.map((word) => word.toUpperCase());

/** Ends each statement that has a time limit after `milliseconds`. With 0, no statement with a time limit is sent. */
async function cutAfter<T>(
  { runtime: { db } }: App,
  milliseconds: number,
  work: () => Promise<T>,
): Promise<[T, number]> {
  const { query } = db;
  let cut = 0;
  db.query = async (statement, deadline, turn) => {
    if (turn?.limit === undefined) return query(statement, deadline, turn);
    cut += 1;
    if (milliseconds === 0) throw new StatementTimeoutError("at once");
    return query(statement, deadline, { ...turn, limit: milliseconds });
  };
  try {
    return [await work(), cut];
  } finally {
    db.query = query;
  }
}

describe("a search over more texts than the read limit", () => {
  let app: App;
  let space: Workspace;
  const search = async (term: string, more = "") => {
    const query = `query ($term: String!) { searchIssues(term: $term${more}) { nodes { identifier createdAt } searchedSince } }`;
    return (await space.gql(query, { term })).searchIssues;
  };

  before(async () => {
    app = await startSharedServer();
    space = await createWorkspace();
    for (let n = 1; n <= 4; n += 1)
      await space.issue({ title: `No ${n}`, description: `${createHardText(LONG, n)} ${WORDS.join(" ")}` });
  });

  it("finds the newest matches, reports how far back it searched, and finds more with fewer words", async () => {
    const [few, cut] = await cutAfter(app, 0, () => search(WORDS.join(" ")));
    expect([few.nodes.map(({ identifier }: { identifier: string }) => identifier), cut]).to.deep.equal([["ENG-4"], 1]);
    expect(few.searchedSince).to.equal(few.nodes[0].createdAt);
    const [all, none] = await cutAfter(app, 0, () => search(WORDS.slice(0, 2).join(" ")));
    expect([all.nodes.length, all.searchedSince, none]).to.deep.equal([4, null, 0]);
  });

  it("shares its limit with all searches of a request and with comment search", async () => {
    const one = (n: number) =>
      `s${n}: searchIssues(term: "${WORDS[0]}", includeComments: true) { nodes { identifier } searchedSince }`;
    const [data] = await cutAfter(app, 0, () =>
      space.gql(`{ ${Array.from({ length: 20 }, (_, n) => one(n)).join(" ")} }`),
    );
    for (const { nodes, searchedSince } of Object.values<{ nodes: unknown[]; searchedSince: string }>(data))
      expect([nodes.length, typeof searchedSince]).to.deep.equal([1, "string"]);
  });

  it("reads only the newest texts, although the planner considers comparing a word cheaper than measuring its text", async () => {
    const asked = `searchIssues(term: "${WORDS[0]}") { nodes { id } }`;
    const { pages } = await countPagesRead(
      app,
      space,
      `{ ${Array.from({ length: 20 }, (_, n) => `s${n}: ${asked}`).join(" ")} }`,
    );
    const { db } = app.runtime;
    const text = 'select sum(pg_column_size(n.text)) / 8192 as pages from "issueText" n where n."organizationId" = $1';
    const [all] = await db.query<{ pages: string }>({ text, values: [space.organizationId] });
    // Each of the 20 searches may read one text in four, and pages to find candidates: about 60, and more in an index
    // that other organizations use, but fewer than the other three texts have.
    const oneText = Number(all?.pages) / 4;
    expect(pages).to.be.within(20 * oneText, 20 * (oneText + 60) + 20 * 2 * oneText);
  });

  it("still finds issues by identifier", async () => {
    const [found] = await cutAfter(app, 0, () => search("ENG-1"));
    expect(found.nodes.map(({ identifier }: { identifier: string }) => identifier)).to.include("ENG-1");
  });

  it("responds only after its first statement has ended", async () => {
    for (let times = 0; times < 3; times += 1) {
      const [{ nodes }, cut] = await cutAfter(app, 3, () => search(WORDS.join(" ")));
      expect([nodes.length, cut]).to.deep.equal([1, 1]);
    }
  });
});
