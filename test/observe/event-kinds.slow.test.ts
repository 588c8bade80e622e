import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { countMarkedHours } from "../../server/jobs/analytics.ts";
import { computeMissingSessionTotals, rollUpTotals } from "../../server/jobs/totals.ts";
import { EVENT_TYPES_BY_KIND } from "../../server/resources/recorded/kinds.ts";
import { readSessionTotals } from "../../server/resources/recorded/totals.ts";
import { callRestApi, createOrganization, startSharedServer, type Tenant } from "../support/server.ts";

/** Kind of an event according to docs/ingest.md, written independently of the server's code. */
function expectedKind(type: string | null, hasParent: boolean): string {
  if (type === "tool") return "tool";
  if (!hasParent) return "turn";
  const named = type?.toLowerCase() ?? "";
  if (/^(llm|model|chat_model|generation|chat|(text_)?completion|generate_content|inference)$/.test(named))
    return "llm";
  return /^((sub[_-]?)?agent|invoke_agent)$/.test(named) ? "subagent" : "tool";
}

const type = fc.oneof(
  fc.constantFrom(null, "tool", "Tool", "function", "retriever", "embedding", "", "LLM", "Agent", "SubAgent", "agents"),
  fc.constantFrom(...Object.values(EVENT_TYPES_BY_KIND).flat()),
  fc.string({ maxLength: 12 }),
);
const drawn = fc.record({
  type,
  hasParent: fc.boolean(),
  success: fc.boolean(),
  // The byte scanner leaves rows with measurements to the slow path.
  isMeasured: fc.boolean(),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

const ALL = `query ($id: String!, $session: UUID!, $from: DateTimeOrDuration) {
  recordedSession(id: $id) { totals { events turns toolCalls }
    events(first: 100) { nodes { id kind primitiveName } } }
  recordedOutline(sessionId: $session) { ids kinds }
  recordedToolStats(from: $from) { tools { name calls failures } } }`;

async function send({ url, ingestKey }: Tenant, events: readonly object[], isOneByOne: boolean): Promise<void> {
  const headers = { "x-api-key": ingestKey };
  const post = (path: string, body: object) => callRestApi(url, "POST", `/api/v1/${path}`, { body, headers });
  const replies = isOneByOne
    ? await Promise.all(events.map((event) => post("capture-event", event)))
    : [await post("capture-events", { events })];
  for (const { status } of replies) expect(status).to.be.oneOf([200, 202]);
}

/** Reads everything that counts or shows kinds, and compares each result with the expected kinds. */
async function agrees(
  { gql, organizationId }: Tenant,
  id: string,
  kinds: ReadonlyMap<string, string>,
  calls: object[],
) {
  const count = (kind: string) => [...kinds.values()].filter((one) => one === kind).length;
  const totals = { events: kinds.size, turns: count("turn"), toolCalls: count("tool") };
  const { recordedSession, recordedOutline, recordedToolStats } = await gql(ALL, { id, session: id, from: "-PT12H" });
  expect(recordedSession.totals).to.deep.equal(totals);
  const shown = recordedSession.events.nodes.map((event: { id: string; kind: string }) => [event.id, event.kind]);
  expect(new Map(shown)).to.deep.equal(kinds);
  const outlined = recordedOutline.ids.map((event: string, n: number) => [event, recordedOutline.kinds[n]]);
  expect(new Map(outlined)).to.deep.equal(kinds);
  expect(recordedToolStats.tools).to.have.deep.members(calls);
  const { db } = (await startSharedServer()).runtime;
  const [told] = await readSessionTotals(db, organizationId, [id]);
  expect(told?.totals).to.deep.include(totals);
}

/** Returns a unique name for each tool, so that a list of tools shows which events count. */
const nameOf = (n: number): string => `name-${n}`;

async function check(all: readonly Drawn[], isOneByOne: boolean): Promise<void> {
  const tenant = await createOrganization();
  const session_id = randomUUID();
  const root = { event_id: uuidv7(), session_id, primitive_name: "agent", args: "", result: "" };
  const events = all.map(({ type: primitive_type, hasParent, success, isMeasured }, n) => ({
    ...root,
    event_id: uuidv7(),
    primitive_name: nameOf(n),
    success,
    ...(primitive_type !== null && { primitive_type }),
    ...(hasParent && { parent_id: root.event_id }),
    ...(isMeasured && { metadata: { "gen_ai.usage.input_tokens": 1 } }),
  }));
  await send(tenant, [root, ...events], isOneByOne);
  const kinds = new Map([[root.event_id, "turn"]]);
  const calls: object[] = [];
  for (const [n, each] of all.entries()) {
    const kind = expectedKind(each.type || null, each.hasParent);
    kinds.set(events[n]?.event_id ?? "", kind);
    if (kind === "tool") calls.push({ name: nameOf(n), calls: 1, failures: each.success ? 0 : 1 });
  }
  const { db } = (await startSharedServer()).runtime;
  await agrees(tenant, session_id, kinds, calls);
  await rollUpTotals(db);
  await countMarkedHours(db);
  await agrees(tenant, session_id, kinds, calls);
  const values = [tenant.organizationId];
  await db.query({ text: "update recorded_session set events = null where organization_id = $1", values });
  await agrees(tenant, session_id, kinds, calls);
  await computeMissingSessionTotals(db);
  await agrees(tenant, session_id, kinds, calls);
  for (const kind of ["tool", "llm"]) {
    const n = all.findIndex((each) => expectedKind(each.type || null, each.hasParent) === kind);
    const found = await tenant.gql(
      "query ($name: String!) { recordedTool(name: $name) { calls } recordedSessions(filter: { tool: { eq: $name } }) { nodes { id } } }",
      { name: nameOf(n) },
    );
    const isCalled = n >= 0 && kind === "tool";
    expect(found.recordedTool.calls).to.equal(isCalled ? 1 : 0);
    expect(found.recordedSessions.nodes).to.have.length(isCalled ? 1 : 0);
  }
}

describe("event kinds", () => {
  it("agree in lists, totals, tool statistics and recounts", async () => {
    const property = fc.asyncProperty(fc.array(drawn, { minLength: 4, maxLength: 20 }), fc.boolean(), check);
    await fc.assert(property, { numRuns: 3 });
  });

  it("depend only on the event's type, not on the model or agent in the event", async () => {
    const every = Object.values(EVENT_TYPES_BY_KIND).flatMap((types) =>
      types.flatMap((each) =>
        [each, each.toUpperCase()].map((spelt) => ({ type: spelt, hasParent: true, success: true, isMeasured: false })),
      ),
    );
    await check([...every, { type: "tool", hasParent: true, success: false, isMeasured: true }], false);
  });
});
