import { expect } from "chai";
import { killPostgres, killServers, negativeControl, type Part } from "../../bench/ingest/kills.ts";
import { troubles } from "../../bench/ingest/trouble.ts";
import { describeOnPostgres, findPrograms } from "../support/db/postgres.ts";

const expectHeld = (part: Part) => expect(part.held, JSON.stringify(part)).to.equal(true);

// The short form of `npm run torture -- ingest`.
describe("accepted events", function () {
  this.timeout(120_000);

  it("survive kills of the process on the embedded engine", async () => {
    expectHeld(await killServers(2, "embedded"));
  });
});

describeOnPostgres("accepted events on PostgreSQL", function (this: Mocha.Suite) {
  this.timeout(180_000);
  before(function () {
    if (!findPrograms()) this.skip();
  });

  it("survive kills of the server", async () => expectHeld(await killServers(2, "postgresql")));

  it("survive kills of PostgreSQL", async () => expectHeld(await killPostgres(1)));

  it("are lost when nobody waits for the disk, so that losses show", async () => expectHeld(await negativeControl(1)));

  it("survive a database that is down for a while, and SIGTERM", async () => {
    for (const part of await troubles(1, /down|SIGTERM/)) expectHeld(part);
  });
});
