import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { sendEvents } from "../../../bench/web/sessions.ts";
import type { App } from "../../../server/app.ts";
import { citusUrl } from "../../support/db/citus.ts";
import { countRowsRead } from "../../support/db/plan-rows.ts";
import { collectReads } from "../../support/db/statements.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import { createOrganization, startSharedServer, type Tenant } from "../../support/server.ts";

/** Maximum number of events for which the activity is computed from every event; then the number of its parts. */
const EXACT = 1_000;
const PARTS = 40;
/** Number of failures of a longer session that are read anywhere in the session. */
const FAILURES = 5_000;

const BRIEF = `query ($id: String!) { recordedSession(id: $id) {
  brief { agent message endedAt lastFailed open course } } }`;

/** Event of a generated session: the delay after the previous event, and the event's fields. */
const event = fc.record({
  after: fc.oneof(
    { weight: 30, arbitrary: fc.integer({ min: 0, max: 20 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 400_000 }) },
  ),
  latency: fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0, max: 50 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 300_000 }) },
  ),
  success: fc.oneof({ weight: 60, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  type: fc.oneof({ weight: 12, arbitrary: fc.constant("tool") }, { weight: 1, arbitrary: fc.constant("turn") }),
  name: fc.constantFrom("coder", "reviewer"),
});
type Drawn = typeof event extends fc.Arbitrary<infer T> ? T : never;
type Sent = ReturnType<typeof eventsOf>[number];

/**
 * Builds the events of a session in order of start. No two events start at the same time, so the last event is
 * unique.
 */
function eventsOf(drawn: readonly Drawn[], session_id = randomUUID()) {
  let at = Date.now() - 40 * 86_400_000;
  return drawn.map(({ after, latency, success, type, name }, n) => {
    at += after + 1;
    const what = type === "tool" ? { primitive_type: "tool" } : {};
    const said = { args: `asked ${n}`, result: "", primitive_name: name };
    return { event_id: randomUUID(), session_id, ...said, ...what, success, latency, timestamp: at };
  });
}

const endOf = ({ timestamp, latency }: Sent) => timestamp + latency;
const isTurn = (one: Sent) => !("primitive_type" in one);
const markOf = (one: Sent) => (one.success ? (isTurn(one) ? 2 : 1) : 4);

/** Computes the activity of some events within the time range of all events. */
function courseOf(some: readonly Sent[], all: readonly Sent[]): number[] {
  const partOf = partsOf(all);
  const marks = Array.from({ length: PARTS }, () => 0);
  for (const one of some)
    for (let part = partOf(one.timestamp); part <= partOf(endOf(one)); part += 1)
      marks[part] = (marks[part] ?? 0) | markOf(one);
  return marks;
}

/** Returns a function that maps a time to a part of the session's time range. */
function partsOf(all: readonly Sent[]): (at: number) => number {
  const began = all[0]?.timestamp ?? 0;
  const whole = Math.max(...all.map(endOf)) - began;
  return (at) => (whole === 0 ? 0 : Math.min(PARTS - 1, Math.floor((PARTS * (at - began)) / whole)));
}

/**
 * Builds a session with 5,400 failures in the first 27 parts, and then one event in the middle of every third part.
 */
const manyFailures = () =>
  eventsOf(
    Array.from({ length: 8_000 }, (_, n): Drawn => {
      return { after: 999, latency: 0, success: n >= 5_400 && n % 600 !== 100, type: "tool", name: "coder" };
    }),
  );

describe("recorded session briefs", () => {
  let tenant: Tenant;
  let app: App;
  before(async () => {
    app = await startSharedServer();
    tenant = await createOrganization();
  });

  /** Records a session. @returns the brief and the expected brief without the activity */
  async function recorded(events: readonly Sent[]) {
    await sendEvents(tenant.url, tenant.ingestKey, events);
    const asked = events.slice(0, EXACT).find(isTurn);
    const { brief } = (await tenant.gql(BRIEF, { id: events[0]?.session_id })).recordedSession;
    const { course, ...said } = brief;
    expect(said).to.deep.equal({
      agent: asked?.primitive_name ?? null,
      message: asked?.args ?? null,
      endedAt: new Date(Math.max(...events.map(endOf))).toISOString(),
      lastFailed: !events.at(-1)?.success,
      open: false,
    });
    return { course: String(course), agent: asked?.primitive_name };
  }

  it("show the activity of every event in a short session", async () => {
    const short = fc.array(event, { minLength: 1, maxLength: 60 });
    const property = fc.asyncProperty(short, async (drawn) => {
      const events = eventsOf(drawn);
      expect((await recorded(events)).course).to.equal(courseOf(events, events).join(""));
    });
    await fc.assert(property, { numRuns: scaleRuns(40) });
    const [longest] = fc.sample(fc.array(event, { minLength: EXACT, maxLength: EXACT, size: "max" }), 1);
    const events = eventsOf(longest ?? []);
    expect((await recorded(events)).course).to.equal(courseOf(events, events).join(""));
  });

  it("of a long session show every failure, every turn of its agent, and each part in which an event started", async () => {
    const long = fc.array(event, { minLength: EXACT + 1, maxLength: 2 * EXACT, size: "max" });
    const property = fc.asyncProperty(long, async (drawn) => {
      const events = eventsOf(drawn);
      const { course, agent } = await recorded(events);
      const all = courseOf(events, events);
      const certain = events.filter((one) => !one.success || (isTurn(one) && one.primitive_name === agent));
      const least = courseOf(certain, events);
      const begins = new Set(events.map(({ timestamp }) => partsOf(events)(timestamp)));
      const shown = [...course].map(Number);
      expect(shown.map((mark) => mark & 4)).to.deep.equal(all.map((mark) => mark & 4));
      for (const [part, mark] of shown.entries()) {
        expect(mark & ~(all[part] ?? 0), `part ${part} shows what is not there`).to.equal(0);
        expect((least[part] ?? 0) & ~mark, `part ${part} hides what has to be there`).to.equal(0);
        if (begins.has(part)) expect(mark, `part ${part} shows nothing`).not.to.equal(0);
      }
    });
    await fc.assert(property, { numRuns: scaleRuns(8) });
  });

  it("with more than 5,000 failures show a failure in every part in which one started", async () => {
    const events = manyFailures();
    await sendEvents(tenant.url, tenant.ingestKey, events);
    const { brief } = (await tenant.gql(BRIEF, { id: events[0]?.session_id })).recordedSession;
    const failed = courseOf(events, events).map((mark) => mark & 4);
    expect([...String(brief.course)].map((mark) => Number(mark) & 4)).to.deep.equal(failed);
    expect(failed.slice(27)).to.include(4).and.to.include(0);
  });

  // On Citus, a plan does not contain the rows that the nodes read.
  (citusUrl ? it.skip : it)(
    "read a limited number of a session's events, and only one event for the agent and first prompt",
    async () => {
      const read = async (events: readonly Sent[], fields: string) => {
        const query = `query ($id: String!) { recordedSession(id: $id) { brief { ${fields} } } }`;
        const id = events[0]?.session_id;
        const statements = await collectReads(app, () => tenant.gql(query, { id }));
        const statement = statements.find(({ text }) => text.includes("recorded_event"));
        if (!statement) throw new Error("nothing was read");
        return (await countRowsRead(app, statement))["recorded_event"] ?? 0;
      };
      const made = (count: number) =>
        eventsOf(
          Array.from({ length: count }, (_, n): Drawn => {
            const type = n % 100 === 0 ? "turn" : "tool";
            return { after: 999, latency: 500, success: n % 100 !== 50, type, name: "coder" };
          }),
        );
      for (const count of [500, 3_000, 6_000]) {
        const events = made(count);
        await sendEvents(tenant.url, tenant.ingestKey, events);
        await app.runtime.db.query({ text: "analyze recorded_event" });
        const most = count > EXACT ? 2 * EXACT + 3 + count / 50 : count + 3;
        expect(await read(events, "agent message endedAt lastFailed open course"), `of ${count}`).to.be.at.most(most);
        expect(await read(events, "agent message"), `of ${count}, who was asked what`).to.equal(1);
      }
      const events = manyFailures();
      await sendEvents(tenant.url, tenant.ingestKey, events);
      expect(await read(events, "course"), "not analyzed").to.be.at.most(FAILURES + 3 * EXACT + PARTS + 3);
      await app.runtime.db.query({ text: "analyze recorded_event" });
      expect(await read(events, "course"), "analyzed").to.be.at.most(FAILURES + 3 * EXACT + PARTS + 3);
    },
  );
});
