import { expect } from "chai";
import { watchClock } from "../../server/jobs/clock.ts";
import { LISTENING_LINE, spawnServer } from "../support/run/process.ts";
import { startSharedServer } from "../support/server.ts";

const JWT_SECRET = "a secret of the tests, long enough to be one";

/** Returns an option of Node.js that makes the clock of a process wrong by `seconds`. */
const skewed = (seconds: number) =>
  `--import=data:text/javascript,${encodeURIComponent(`const now=Date.now;Date.now=()=>now()+${seconds}e3`)}`;

describe("a server clock that differs from the database's clock", () => {
  const url = process.env["TEST_DATABASE_URL"];
  before(function () {
    if (!url) this.skip();
  });
  const start = (seconds: number) =>
    spawnServer({ DATABASE_URL: String(url), JWT_SECRET, NODE_OPTIONS: skewed(seconds) });

  for (const [seconds, words] of [
    [7200, /this server's clock is 7[12]\d\d s ahead of the database's/],
    [-90, /this server's clock is (8\d|9\d) s behind the database's/],
  ] as const)
    it(`prevents the start with one line if it is ${seconds} s off`, async () => {
      const server = start(seconds);
      expect(await server.ended).to.equal(2);
      expect(server.output().trim()).to.match(words).and.not.contain("\n");
    });

  it("does not prevent the start within a minute", async () => {
    const server = start(20);
    await server.printed(LISTENING_LINE);
    expect(await server.stop()).to.equal(0);
  });

  it("causes a warning if it becomes wrong later, and the server keeps running", async () => {
    const { runtime } = await startSharedServer();
    const warnings: string[] = [];
    const watch = () => watchClock({ ...runtime, log: { warn: (text: string) => warnings.push(text) } as never });
    await watch();
    expect(warnings).to.deep.equal([]);
    const { now } = Date;
    Date.now = () => now() + 300_000;
    await watch().finally(() => {
      Date.now = now;
    });
    expect(warnings.join()).to.match(/ahead of the database's/);
  });
});
