import { expect } from "chai";
import { watchClock } from "../../server/jobs/clock.ts";
import { LISTENING, spawnServer } from "../support/run/process.ts";
import { sharedServer } from "../support/server.ts";

const JWT_SECRET = "a secret of the tests, long enough to be one";

/** Has a process of node begin with a clock that is wrong by so many seconds. */
const skewed = (seconds: number) =>
  `--import=data:text/javascript,${encodeURIComponent(`const now=Date.now;Date.now=()=>now()+${seconds}e3`)}`;

describe("a server's clock that is not the database's", function () {
  this.timeout(60_000);
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
    it(`stops the start in one line when it is ${seconds} s off`, async () => {
      const server = start(seconds);
      expect(await server.ended).to.equal(2);
      expect(server.output().trim()).to.match(words).and.not.contain("\n");
    });

  it("is no hindrance while it is within a minute", async () => {
    const server = start(20);
    await server.printed(LISTENING);
    expect(await server.stop()).to.equal(0);
  });

  it("is warned of when it goes wrong later, and the server goes on", async () => {
    const { runtime } = await sharedServer();
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
