import { join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { superviseEngine } from "../../../db/embedded/supervisor.ts";
import { type Database, openDatabase } from "../../../db/open.ts";
import { catchFailure, createMigratedDirectory, openTestDatabase } from "../../support/db/database.ts";

/** Statements that never end, for different reasons: the executor, a scan of long texts, a loop in a function. */
const ENDLESS = [
  "select count(*) from generate_series(1, 1e12)",
  `select count(*) from (select repeat(md5(i::text), 8000) as text from generate_series(1, 1000000) i) long
   where ${Array.from({ length: 99 }, (_, at) => `text ilike '%none ${at}%'`).join(" or ")}`,
  "do $$ begin loop end loop; end $$",
  "create table endless as select i from generate_series(1, 1e12) i",
  "with recursive loop as (select 1 as i union all select i + 1 from loop) select count(*) from loop",
  "select i from generate_series(1, 100000000) i order by md5(i::text)",
];

const blockLoop = (milliseconds: number) => {
  for (const until = performance.now() + milliseconds; performance.now() < until; );
};

describe("a deadline on the embedded engine", () => {
  const dataDir = createMigratedDirectory();
  const warnings: string[] = [];
  let db: Database;

  before(async () => {
    db = await openDatabase({ dataDir, poolSize: 1, warn: (message) => warnings.push(message) });
    await db.query({ text: "create table kept (word text)" });
  });
  after(() => db.close());

  for (const text of ENDLESS) {
    it(`cancels ${text.slice(0, 40)}… without ending the engine`, async () => {
      const slow = catchFailure(db.query({ text }, AbortSignal.timeout(300)));
      expect(await slow).to.have.property("name", "TimeoutError");
      // Succeeds at once. A caller that waits more than 2 s for the only connection would be refused.
      expect(await db.query({ text: "select 1 as one" })).to.deep.equal([{ one: 1 }]);
      expect(warnings).to.deep.equal([]);
    });
  }

  it("rolls back only the transaction whose statement it cancels", async () => {
    await db.query({ text: "insert into kept values ('before')" });
    const text = "insert into kept select 'never' from generate_series(1, 1e12)";
    await catchFailure(db.query({ text }, AbortSignal.timeout(300)));
    expect(await db.query({ text: "select word from kept" })).to.deep.equal([{ word: "before" }]);
  });

  it("cancels no later statement when it comes just after the end of its statement", async () => {
    for (let round = 0; round < 300; round += 1) {
      const deadline = new AbortController();
      const first = db.query({ text: "select count(*) from generate_series(1, 2000)" }, deadline.signal);
      setTimeout(() => deadline.abort(new Error("late")), Math.random() * 2);
      const [, second] = await Promise.all([first.catch(() => {}), db.query({ text: "select 1 as one" })]);
      expect(second).to.deep.equal([{ one: 1 }]);
    }
    expect(warnings).to.deep.equal([]);
  });
});

describe("a time limit of a statement in a transaction, on the embedded engine", () => {
  const warnings: string[] = [];
  let db: Database;

  before(async () => {
    db = await openTestDatabase({ warn: (message) => warnings.push(message) });
    await db.query({ text: "create table if not exists limited (word text)" });
  });
  after(async () => {
    await db.query({ text: "drop table limited" });
    await db.close();
  });

  it("ends the statement, rolls back the transaction, and keeps the engine", async () => {
    const begun = performance.now();
    const ended = await catchFailure(
      db.transaction(async (trx) => {
        await trx.query({ text: "insert into limited values ('never')" });
        await trx.query({ text: "select count(*) from generate_series(1, 1e12)" }, 300);
      }),
    );
    expect(ended.cause).to.have.property("code", "57014");
    expect(performance.now() - begun).to.be.below(10_000);
    expect(await db.query({ text: "select word from limited" })).to.deep.equal([]);
    expect(warnings).to.deep.equal([]);
  });

  it("has no effect on shorter statements and on later transactions", async () => {
    const quick = () => db.transaction((trx) => trx.query({ text: "select 1 as one" }, 300));
    expect(await quick()).to.deep.equal([{ one: 1 }]);
    const longer = { text: "select count(*) from generate_series(1, 2000000)" };
    expect(await db.transaction((trx) => trx.query(longer))).to.deep.equal([{ count: 2_000_000 }]);
    expect(warnings).to.deep.equal([]);
  });
});

describe("the maximum statement time of the embedded engine", () => {
  const dataDir = createMigratedDirectory();
  const warnings: string[] = [];
  let engine: Awaited<ReturnType<typeof superviseEngine>>;

  const query = async (text: string, limit: number) => {
    const message = Buffer.concat([Buffer.from("Q"), Buffer.alloc(4), Buffer.from(`${text}\0`)]);
    message.writeInt32BE(message.length - 1, 1);
    const pieces: Uint8Array[] = [];
    await engine.exchange({ bytes: message, limit, onBytes: (bytes) => pieces.push(bytes) });
    return Buffer.concat(pieces).toString("latin1");
  };

  before(async () => {
    await (await openDatabase({ dataDir, poolSize: 1 })).close();
    engine = await superviseEngine(join(dataDir, "database"), (message) => warnings.push(message));
  });
  after(() => engine.close());

  it("cancels the running statement without data loss and without reopening", async () => {
    await query("create table note (word text); insert into note values ('kept')", 10_000);
    expect(await query("select count(*) from generate_series(1, 1e12)", 200)).to.match(/57014.*canceling statement/s);
    expect(await query("select word from note", 10_000)).to.match(/kept/);
    expect(warnings).to.deep.equal([]);
  });

  it("does not end the engine because the process was busy", async () => {
    const short = query("select count(*) from generate_series(1, 1000000)", 2_000);
    await sleep(1); // The statement is running.
    await turn(); // From here, the event loop runs timers before reading.
    blockLoop(3_000);
    expect(await short).to.match(/1000000/);
    await sleep(500); // A stopping engine could still respond, so wait first.
    expect(await query("select 1 as one", 10_000)).to.match(/one/);
    expect(warnings).to.deep.equal([]);
  });
});
