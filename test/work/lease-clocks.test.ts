import { expect } from "chai";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { maintainLeases } from "../../server/jobs/leases.ts";
import { earlierSql } from "../support/db/database.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { callRestApi, startSharedServer } from "../support/server.ts";
import { createAgent, type TestAgent } from "../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const MINUTE = 60;
const TTL = 30 * MINUTE;
/** Errors of a server's clock, in seconds. */
const CLOCKS = [0, -3600, 3600];

describe("the lease of a session that records through servers with wrong clocks", () => {
  let space: Workspace;
  let agent: TestAgent;
  before(async () => {
    space = await createWorkspace();
    agent = await createAgent(space);
  });
  const run = async <Row>(statement: { text: string; values: unknown[] }) =>
    (await startSharedServer()).runtime.db.query<Row>(statement);
  const look = async () => maintainLeases((await startSharedServer()).runtime);

  async function claimed() {
    const [{ id }, session] = [await space.issue(), uuidv7()];
    await agent.claim({ id, sessionId: session });
    await look();
    return { id, session };
  }
  const movedBack = (names: string[]) =>
    names.map((name) => `"${name}" = ${earlierSql(`"${name}"`, "make_interval(secs => $2)")}`).join(", ");
  type Claimed = Awaited<ReturnType<typeof claimed>>;

  /** Records an event and returns the event's id. */
  async function record({ session }: Pick<Claimed, "session">): Promise<string> {
    const body = { event_id: uuidv7(), session_id: session, primitive_name: "agent", args: "", result: "" };
    const headers = { "x-api-key": space.ingestKey };
    expect((await callRestApi(space.url, "POST", "/api/v1/capture-event", { body, headers })).status).to.equal(200);
    return body.event_id;
  }
  /** Changes an event's time to the time of a server whose clock is wrong by `skew` seconds. */
  const timed = (event: string, skew: number) => ({
    text: `update recorded_event set ${movedBack(["received_at"])} where event_id = $1`,
    values: [event, -skew],
  });

  /**
   * Moves all known times `seconds` into the past, as if time had passed. With `skew`, a server whose clock is wrong
   * by `skew` seconds records an event at the end.
   */
  async function pass({ id, session }: Claimed, seconds: number, skew?: number): Promise<void> {
    const recorded = skew === undefined ? undefined : await record({ session });
    const moments = ["grantedAt", "renewedAt", "expiresAt", "checkAt", "lookedAt"];
    const back = (table: string, columns: string[], where: string, of: string) => ({
      text: `update ${table} set ${movedBack(columns)} where ${where} = $1`,
      values: [of, seconds],
    });
    await run(back("recorded_event", ["received_at"], "session_id", session));
    const told = ["received_at", ...(recorded ? [] : ["last_received_at"])];
    await run(back("recorded_session", told, "session_id", session));
    if (recorded) await run(timed(recorded, seconds + (skew ?? 0)));
    await run(back(`"issueLease"`, moments, "id", id));
  }

  /** Returns the remaining seconds of the lease, or undefined if the lease has expired. */
  async function left({ id }: Claimed): Promise<number | undefined> {
    const text = `select extract(epoch from "expiresAt" - clock_timestamp())::float8 as left from "issueLease" where id = $1`;
    const [row] = await run<{ left: number }>({ text, values: [id] });
    return row?.left;
  }

  for (const skew of CLOCKS) {
    it(`lasts as long as the session records and no longer: a clock wrong by ${skew} s`, async () => {
      const held = await claimed();
      for (let time = 0; time < 3; time += 1) {
        await pass(held, 28 * MINUTE, skew);
        await look();
        // The server's time has whole milliseconds, the database's has microseconds.
        expect(await left(held), "renewed at the last moment").to.be.within(TTL - 10, TTL + 0.001);
      }
      await pass(held, TTL - MINUTE);
      await look();
      expect(await left(held), "nothing came").to.be.within(MINUTE - 10, MINUTE);
      await pass(held, MINUTE);
      await look();
      expect(await left(held), "an hour of silence would be too long").to.equal(undefined);
    });
  }

  it("lasts its full time after the last event, whichever servers stored the events", async () => {
    const step = fc.record({
      pass: fc.constantFrom(2 * MINUTE, 9 * MINUTE, 14 * MINUTE),
      record: fc.option(fc.constantFrom(...CLOCKS), { freq: 2, nil: undefined }),
    });
    const steps = fc.array(step, { minLength: 2, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(steps, async (course) => {
        const held = await claimed();
        let silent = 0;
        for (const each of course) {
          // The server does not search for events after the lease has expired.
          const records = silent + each.pass < TTL ? each.record : undefined;
          await pass(held, each.pass, records);
          silent = records === undefined ? silent + each.pass : 0;
          await look();
          const rest = await left(held);
          if (silent >= TTL) {
            expect(rest, JSON.stringify(course)).to.equal(undefined);
            return;
          }
          // The server renews a lease when less than half of the time remains. A renewed lease lasts `TTL` from the
          // last event.
          expect(rest, JSON.stringify(course)).to.be.within(Math.min(TTL - silent, TTL / 2) - 20, TTL - silent + 1);
        }
      }),
      {
        numRuns: scaleRuns(15),
        // The time of an early clock becomes the present an hour later, when a server with a late clock records an
        // event.
        examples: [
          [
            [
              { pass: 120, record: 3600 },
              { pass: 840, record: undefined },
              { pass: 840, record: 0 },
              ...[120, 120].map((pass) => ({ pass, record: undefined })),
              { pass: 120, record: 0 },
              { pass: 840, record: undefined },
              { pass: 840, record: -3600 },
              { pass: 840, record: undefined },
            ],
          ],
        ],
      },
    );
  }).timeout(120_000);

  it("is not extended by events before the claim, nor by event times in the future", async () => {
    const [{ id }, session] = [await space.issue(), uuidv7()];
    const held = { id, session };
    for (const skew of CLOCKS) await run(timed(await record(held), skew));
    await agent.claim({ id, sessionId: session });
    await look();
    await pass(held, 20 * MINUTE);
    await look();
    expect(await left(held)).to.be.within(10 * MINUTE - 10, 10 * MINUTE);
    await pass(held, 10 * MINUTE);
    await look();
    expect(await left(held)).to.equal(undefined);
  });
});
