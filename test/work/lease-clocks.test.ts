import { expect } from "chai";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { lookAfterLeases } from "../../server/jobs/leases.ts";
import { earlier } from "../support/db/database.ts";
import { runs } from "../support/run/runs.ts";
import { call, sharedServer } from "../support/server.ts";
import { freshAgent, type TestAgent } from "../support/tracker/work.ts";
import { freshWorkspace, type Workspace } from "../support/workspace.ts";

const MINUTE = 60;
const TTL = 30 * MINUTE;
/** Seconds by which a server's clock may be wrong. */
const CLOCKS = [0, -3600, 3600];

describe("the lease of a session that records through servers with other clocks", () => {
  let space: Workspace;
  let agent: TestAgent;
  before(async () => {
    space = await freshWorkspace();
    agent = await freshAgent(space);
  });
  const run = async <Row>(statement: { text: string; values: unknown[] }) =>
    (await sharedServer()).runtime.db.query<Row>(statement);
  const look = async () => lookAfterLeases((await sharedServer()).runtime);

  async function claimed() {
    const [{ id }, session] = [await space.issue(), uuidv7()];
    await agent.claim({ id, sessionId: session });
    await look();
    return { id, session };
  }
  const movedBack = (names: string[]) =>
    names.map((name) => `"${name}" = ${earlier(`"${name}"`, "make_interval(secs => $2)")}`).join(", ");
  type Claimed = Awaited<ReturnType<typeof claimed>>;

  /** Records an event and gives its id. */
  async function record({ session }: Pick<Claimed, "session">): Promise<string> {
    const body = { event_id: uuidv7(), session_id: session, primitive_name: "agent", args: "", result: "" };
    const headers = { "x-api-key": space.ingestKey };
    expect((await call(space.url, "POST", "/api/v1/capture-event", { body, headers })).status).to.equal(200);
    return body.event_id;
  }
  /** Gives an event the time that a server would have given it whose clock is wrong by `skew` seconds. */
  const timed = (event: string, skew: number) => ({
    text: `update recorded_event set ${movedBack(["received_at"])} where event_id = $1`,
    values: [event, -skew],
  });

  /**
   * Lets time pass, at whose end an event may be recorded by a server whose clock is wrong by `skew` seconds: everything that
   * was known before was that much earlier.
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

  /** Seconds left of the lease; undefined when it has ended. */
  async function left({ id }: Claimed): Promise<number | undefined> {
    const text = `select extract(epoch from "expiresAt" - clock_timestamp())::float8 as left from "issueLease" where id = $1`;
    const [row] = await run<{ left: number }>({ text, values: [id] });
    return row?.left;
  }

  for (const skew of CLOCKS) {
    it(`lasts while it records, and no longer: a clock wrong by ${skew} s`, async () => {
      const held = await claimed();
      for (let time = 0; time < 3; time += 1) {
        await pass(held, 28 * MINUTE, skew);
        await look();
        expect(await left(held), "renewed at the last moment").to.be.within(TTL - 10, TTL);
      }
      await pass(held, TTL - MINUTE);
      await look();
      expect(await left(held), "nothing came").to.be.within(MINUTE - 10, MINUTE);
      await pass(held, MINUTE);
      await look();
      expect(await left(held), "an hour of silence would be too long").to.equal(undefined);
    });
  }

  it("is held as long after its last event as it lasts, whichever servers took which events", async () => {
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
          // Events after the end of a lease are not searched for.
          const records = silent + each.pass < TTL ? each.record : undefined;
          await pass(held, each.pass, records);
          silent = records === undefined ? silent + each.pass : 0;
          await look();
          const rest = await left(held);
          if (silent >= TTL) {
            expect(rest, JSON.stringify(course)).to.equal(undefined);
            return;
          }
          // A lease is renewed once less than half of it is left: at its end it lasts from the last event on.
          expect(rest, JSON.stringify(course)).to.be.within(Math.min(TTL - silent, TTL / 2) - 20, TTL - silent + 1);
        }
      }),
      {
        numRuns: runs(15),
        // An early clock's time comes true an hour later, when a late one reports.
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

  it("is not kept by events from before the claim, nor by what their servers call later", async () => {
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
