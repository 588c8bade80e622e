import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Database } from "../../../db/open.ts";
import { failure } from "../../support/db/database.ts";
import { startServer } from "../../support/server.ts";

/** It computes for longer than any test waits, and reads nothing. */
const LONG = {
  text: "select count(*) from generate_series(1, 1000) a, generate_series(1, 1000) b, generate_series(1, 1000) c, generate_series(1, 1000) d where a + b + c + d < 0",
};
const QUICK = { text: "select 1 as one" };
/** More than any server has. */
const MANY = 24;
const NOISY = { queueClass: "read", tenant: "noisy" } as const;

describe("connections among tenants", function () {
  this.timeout(60_000);
  let db: Database;
  // On a server of its own: while any other tenant used connections lately, the noisy one takes but half of them.
  before(async () => {
    db = (await startServer()).runtime.db;
  });
  after(async () => {
    // A cancel that arrives before its statement began is lost: that one runs until its own limit.
    while (
      await db.query(QUICK).then(
        () => false,
        () => true,
      )
    )
      await sleep(100);
  });

  /** One tenant's endless reads on every connection, each begun again when it was ended. */
  const besideReads = async (work: () => Promise<void>): Promise<Error[]> => {
    let over = false;
    const ended: Error[] = [];
    const end = new AbortController();
    const again = async () => {
      while (!over) ended.push(await failure(db.query(LONG, end.signal, NOISY)));
    };
    const reads = Array.from({ length: MANY }, again);
    await sleep(3_500);
    try {
      await work();
    } finally {
      over = true;
      end.abort();
      await Promise.all(reads);
    }
    return ended;
  };

  it("are taken from the tenant that holds all of them as soon as another waits, read or write, and only it is refused", async () => {
    const ended = await besideReads(async () => {
      for (let times = 0; times < 3; times += 1) {
        const rows = await db.query(QUICK, undefined, { queueClass: "read", tenant: "quiet" });
        expect(rows).to.deep.equal([{ one: 1 }]);
        await db.as("short", () => db.transaction((trx) => trx.query(QUICK)), "quiet");
        expect(await db.ping()).to.equal(true);
      }
    });
    expect(ended.some((error) => error instanceof Unavailable && error.retryAfter === 2)).to.equal(true);
  });

  it("leave health one of its own on PostgreSQL, though nobody gives one back", async function () {
    if (db.engine === "embedded") return this.skip();
    let over = () => {};
    const until = new Promise<void>((resolve) => {
      over = resolve;
    });
    const held = Array.from({ length: MANY }, () => db.connection(() => until).catch(() => {}));
    await sleep(50);
    expect([db.load().free, await db.ping()]).to.deep.equal([0, true]);
    over();
    await Promise.all(held);
  });
});
