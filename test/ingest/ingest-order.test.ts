import { expect } from "chai";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { createEvent, createSession, sendRaw } from "../support/recording/ingest.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { createOrganization } from "../support/server.ts";

type Event = ReturnType<typeof createEvent> & { parent_id: string | null; timestamp: number };

const EVENTS = 9;
const BEGAN = Date.UTC(2026, 0, 1);

/** Parents: for each event the index of the parent, or none. Includes cycles and unknown parents. */
const shape = fc.record({
  parents: fc.array(fc.option(fc.nat(EVENTS), { nil: null }), { minLength: EVENTS, maxLength: EVENTS }),
  times: fc.array(fc.nat(5), { minLength: EVENTS, maxLength: EVENTS }),
});

/** Way to send the events: repetitions, order, split into requests, and concurrency. */
const delivery = fc.record({
  repeats: fc.array(fc.nat(EVENTS - 1), { maxLength: 5 }),
  order: fc.array(fc.nat(), { minLength: EVENTS + 5, maxLength: EVENTS + 5 }),
  cuts: fc.uniqueArray(fc.nat(EVENTS + 4), { maxLength: 4 }),
  sessionAt: fc.nat(4),
  atOnce: fc.boolean(),
});
type Delivery = typeof delivery extends fc.Arbitrary<infer Value> ? Value : never;

function eventsOf({ parents, times }: { parents: (number | null)[]; times: number[] }, session_id: string): Event[] {
  const ids = parents.map(() => uuidv7());
  const stranger = uuidv7();
  return ids.map((event_id, n) => {
    const parent = parents[n] ?? null;
    const parent_id = parent === null || parent === n ? null : (ids[parent] ?? stranger);
    return createEvent({ event_id, session_id, parent_id, timestamp: BEGAN + (times[n] ?? 0) });
  });
}

/** Returns the expected parent of each event in the tree: null at the root, with orphans marked. */
function expectedTree(events: Event[]): Map<string, string> {
  const byId = new Map(events.map((event) => [event.event_id, event]));
  const earlier = (a: Event, b: Event) => a.timestamp - b.timestamp || (a.event_id < b.event_id ? -1 : 1);
  const isOrphan = (event: Event): boolean => {
    if (event.parent_id === null) return false;
    const circle: Event[] = [];
    for (let at = byId.get(event.parent_id); at && !circle.includes(at); at = byId.get(at.parent_id ?? ""))
      circle.push(at);
    if (circle.length === 0) return true;
    // A walk from a member of a cycle to the parents visits the whole cycle and returns.
    return circle.includes(event) && circle.sort(earlier)[0] === event;
  };
  return new Map(events.map((event) => [event.event_id, isOrphan(event) ? "orphan" : (event.parent_id ?? "root")]));
}

function requestsOf(events: Event[], { repeats, order, cuts }: Delivery): Event[][] {
  const all = [...events, ...repeats.flatMap((n) => events[n] ?? [])];
  const shuffled = all.map((event, n) => ({ event, at: order[n] ?? 0 })).sort((a, b) => a.at - b.at);
  const edges = [0, ...cuts.sort((a, b) => a - b), all.length];
  return edges.slice(1).map((end, n) => shuffled.slice(edges[n], end).map(({ event }) => event));
}

describe("a set of events", () => {
  it("gives the same tree in every order, in any batches, with repeats", async () => {
    const tenant = await createOrganization();
    const post = (path: string, body: object) =>
      sendRaw(`${tenant.url}/api/v1/${path}`, JSON.stringify(body), { "x-api-key": tenant.ingestKey });
    const treeOf = async (id: string) => {
      const query = `{ recordedSession(id: "${id}") { registered events { nodes { id parentId orphan root } } } }`;
      const { recordedSession } = await tenant.gql(query);
      const place = (node: any) => (node.orphan ? "orphan" : node.root ? "root" : node.parentId);
      return {
        ...recordedSession,
        tree: new Map(recordedSession.events.nodes.map((node: any) => [node.id, place(node)])),
      };
    };
    const property = fc.asyncProperty(shape, delivery, async (parents, way) => {
      const session = createSession();
      const events = eventsOf(parents, session.session_id);
      const sends = requestsOf(events, way).map((rows) => () => post("capture-events", { events: rows }));
      sends.splice(way.sessionAt, 0, () => post("capture-session", session));
      const replies = way.atOnce ? await Promise.all(sends.map((send) => send())) : await inTurn(sends);
      expect(replies.every(({ status, body }) => status < 300 && !body["rejected"])).to.equal(true);
      const { registered, tree } = await treeOf(session.session_id);
      expect(registered).to.equal(true);
      expect(tree).to.deep.equal(expectedTree(events));
    });
    await fc.assert(property, { numRuns: scaleRuns(100) });
  }).timeout(120_000);
});

async function inTurn<T>(steps: (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  for (const step of steps) results.push(await step());
  return results;
}
