import { expect } from "chai";
import { killPostgres, killServers, runNegativeControl, type TorturePart } from "../../bench/ingest/kills.ts";
import { runTroubles } from "../../bench/ingest/trouble.ts";
import { describeOnPostgres, findPostgresPrograms } from "../support/db/postgres.ts";

const expectHeld = (part: TorturePart) => expect(part.held, JSON.stringify(part)).to.equal(true);

// Short form of `npm run torture -- ingest`.
describe("accepted events", () => {
  it("survive kills of the process on the embedded engine", async () => {
    expectHeld(await killServers(2, "embedded"));
  });
});

describeOnPostgres("accepted events on PostgreSQL", function (this: Mocha.Suite) {
  before(function () {
    if (!findPostgresPrograms()) this.skip();
  });

  it("survive kills of the server", async () => expectHeld(await killServers(2, "postgresql")));

  it("survive kills of PostgreSQL", async () => expectHeld(await killPostgres(1)));

  it("are lost without waiting for the disk (control)", async () => expectHeld(await runNegativeControl(1)));

  it("survive a database that is down for a while, and SIGTERM", async () => {
    for (const part of await runTroubles(1, /down|SIGTERM/)) expectHeld(part);
  });
});
