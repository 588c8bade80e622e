import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace, performMutation, type Workspace } from "../support/workspace.ts";

type Read = (after: number) => Promise<number[]>;

/** Reads changes after the last seen number until `writing` has ended and no change is left. */
async function follow(read: Read, writing: Promise<unknown>, from = 0): Promise<number[]> {
  const seen: number[] = [];
  let over = false;
  void writing.finally(() => {
    over = true;
  });
  for (let last = over; ; last = over) {
    const numbers = await read(seen.at(-1) ?? from);
    seen.push(...numbers);
    if (last && numbers.length === 0) return seen;
    await sleep(1);
  }
}

const page = async ({ gql }: Workspace, args: string) =>
  (
    await gql(`{ changes(${args}) { nodes { lastSyncId event } edges { cursor }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`)
  ).changes;

const gap = async ({ graphql }: Workspace, after: number) => {
  const { errors } = await graphql("query ($after: SyncCursor) { changes(after: $after) { nodes { type } } }", {
    after,
  });
  return errors?.[0]?.extensions;
};

describe("the change log", () => {
  it("shows a follower every change of 16 writers once and in order", async () => {
    const space = await createWorkspace();
    const last = await space.last();
    const writer = async (at: number) => {
      for (let n = 0; n < 10; n += 1) await space.issue({ title: `Writer ${at}, issue ${n}` });
    };
    const read: Read = async (after) => (await space.log(after)).map(({ lastSyncId }) => lastSyncId);
    const seen = await follow(read, Promise.all(Array.from({ length: 16 }, (_, at) => writer(at))), last);
    expect(seen).to.deep.equal(Array.from({ length: 160 }, (_, at) => last + at + 1));
  });

  it("control: would lose changes with numbers from a plain sequence", async function () {
    const { runtime } = await startSharedServer();
    if (runtime.db.engine === "embedded") this.skip(); // Transactions of the embedded engine are serial.
    await runtime.db.query({
      text: `create table if not exists "testSequenceLog" (n bigserial primary key, run uuid)`,
    });
    const run = crypto.randomUUID();
    const read: Read = async (after) => {
      const text = `select n from "testSequenceLog" where run = $1 and n > $2 order by n`;
      return (await runtime.db.query<{ n: number }>({ text, values: [run, after] })).map(({ n }) => n);
    };
    const write = (ms: number) =>
      runtime.db.transaction(async (trx) => {
        await trx.query({ text: `insert into "testSequenceLog" (run) values ($1)`, values: [run] });
        await sleep(ms);
      });
    const seen = await follow(read, Promise.all([write(200), sleep(50).then(() => write(0))]));
    expect(seen).to.have.length(1);
    expect(await read(0)).to.have.length(2);
    await runtime.db.query({ text: 'drop table "testSequenceLog"' });
  });

  it("is read in pages, and an empty page returns the cursor to continue", async () => {
    const space = await createWorkspace();
    const { nodes, edges, pageInfo } = await page(space, "after: 2, first: 3");
    expect(nodes.map(({ lastSyncId }: { lastSyncId: number }) => lastSyncId)).to.deep.equal([3, 4, 5]);
    expect(edges.at(-1)).to.deep.equal({ cursor: "5" });
    const more = { hasNextPage: true, hasPreviousPage: true };
    expect(pageInfo).to.deep.equal({ ...more, startCursor: "3", endCursor: "5" });
    const end = await page(space, 'after: "7"');
    expect(end).to.deep.include({ nodes: [], edges: [] });
    expect(end.pageInfo).to.include({ hasNextPage: false, endCursor: "7" });
  });

  it("ends a page before 4 MiB, but never before its first change", async () => {
    const space = await createWorkspace();
    const last = await space.last();
    const description = "x".repeat(255 * 1024);
    const issues = Array.from({ length: 10 }, (_, at) => ({ teamId: "ENG", title: `${at}`, description }));
    for (let n = 0; n < 2; n += 1) await space.does("issueBatchCreate", { input: { issues } });
    const { nodes, pageInfo } = await page(space, `after: ${last}, first: 250`);
    expect(nodes.length).to.be.within(15, 17);
    expect(pageInfo.hasNextPage).to.equal(true);
    expect((await space.log(last)).length).to.equal(20);
  });

  it("responds with SYNC_GAP after a restored backup and for changes that are no longer kept", async () => {
    const space = await createWorkspace();
    const { runtime } = await startSharedServer();
    expect(await gap(space, 8)).to.include({ code: "SYNC_GAP", last: 7 });
    const text = `update sync set "oldestSyncId" = 5 where "organizationId" = $1`;
    await runtime.db.query({ text, values: [space.organizationId] });
    expect(await gap(space, 3)).to.include({ code: "SYNC_GAP", oldest: 5, last: 7, type: "invalid input" });
    expect(await gap(space, 4)).to.equal(undefined);
  });

  it("refuses impossible page sizes and cursors", async () => {
    const { graphql } = await createWorkspace();
    for (const args of ["first: 0", "first: 251", "after: -1", 'after: "x"', "after: 1.5"]) {
      const { errors } = await graphql(`{ changes(${args}) { nodes { type } } }`);
      expect(errors?.[0]?.extensions.code).to.be.oneOf(["INPUT_ERROR", "GRAPHQL_VALIDATION_FAILED"]);
    }
  });

  it("responds with 503 and Retry-After while another writer holds the organization for too long", async () => {
    const space = await createWorkspace();
    const { runtime } = await startSharedServer();
    const last = await space.last();
    await runtime.db.transaction(async (trx) => {
      const text = `select from sync where "organizationId" = $1 for update`;
      await trx.query({ text, values: [space.organizationId] });
      const reply = await performMutation(space, "issueCreate", { input: { teamId: space.teamId, title: "x" } });
      expect([reply.status, Number(reply.headers.get("Retry-After")) > 0]).to.deep.equal([503, true]);
    });
    expect(await space.last()).to.equal(last);
  });

  it("names the actor of a change, and contains a single organization", async () => {
    const space = await createWorkspace();
    const { creator } = await space.issue();
    const [change] = (await space.log()).slice(-1);
    expect(change?.actor).to.deep.equal({ id: creator.id, type: "user", name: "Olive Owner", email: space.email });
    expect((await (await createWorkspace()).log()).length).to.equal(7);
  });
});
