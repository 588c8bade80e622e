import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import type { Database } from "../../../db/open.ts";
import { catchFailure } from "../../support/db/database.ts";
import { startServer } from "../../support/server.ts";

/** Computes for longer than any test waits, and reads no table. */
const LONG = {
  text: "select count(*) from generate_series(1, 1000) a, generate_series(1, 1000) b, generate_series(1, 1000) c, generate_series(1, 1000) d where a + b + c + d < 0",
};
const QUICK = { text: "select 1 as one" };
/** More connections than any server has. */
const MANY = 24;
const NOISY = { queueClass: "read", tenant: "noisy" } as const;

describe("sharing connections among tenants", () => {
  let db: Database;
  // Uses a new server. After recent use by another tenant, the noisy tenant would get only half of the connections.
  before(async () => {
    db = (await startServer()).runtime.db;
  });
  /** Runs endless reads of one tenant on every connection while `work` runs, and restarts each ended read. */
  const besideReads = async (work: (ended: readonly Error[]) => Promise<void>): Promise<Error[]> => {
    let over = false;
    const ended: Error[] = [];
    const end = new AbortController();
    const again = async () => {
      while (!over) ended.push(await catchFailure(db.query(LONG, end.signal, NOISY)));
    };
    const reads = Array.from({ length: MANY }, again);
    await sleep(3_500);
    try {
      await work(ended);
    } finally {
      over = true;
      end.abort();
      await Promise.all(reads);
    }
    return ended;
  };

  it("cancels reads of the tenant that holds all connections once another tenant waits, and refuses only that tenant", async () => {
    const isCancelled = (error: Error) => error instanceof UnavailableError && error.retryAfter === 2;
    // A busy machine may find a connection that was free between two reads, so that nothing needs to be cancelled.
    await besideReads(async (ended) => {
      for (let times = 0; times < 3 || !ended.some(isCancelled); times += 1) {
        const rows = await db.query(QUICK, undefined, { queueClass: "read", tenant: "quiet" });
        expect(rows).to.deep.equal([{ one: 1 }]);
        await db.as("short", () => db.transaction((trx) => trx.query(QUICK)), "quiet");
        expect(await db.ping()).to.equal(true);
      }
    });
  });

  it("frees connections at once after statements that are cancelled before they begin", async () => {
    // At any time of cancellation, the next statement waits less than the 2 s limit of the queue.
    for (let round = 0; round < 40; round += 1) {
      const end = new AbortController();
      const ended = Array.from({ length: MANY }, () => catchFailure(db.query(LONG, end.signal)));
      for (let turns = round % 10; turns > 0; turns -= 1) await Promise.resolve();
      if (round >= 20) await nextTurn();
      end.abort(new Error("ended early"));
      await Promise.all(ended);
      expect(await db.query(QUICK), `round ${round}`).to.deep.equal([{ one: 1 }]);
    }
  });

  it("reserves a connection for health checks on PostgreSQL, even if nobody returns one", async function () {
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
