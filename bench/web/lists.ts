import { createOrganization, startServer, type Tenant } from "../../test/support/server.ts";
import { generateSession, sendEvents } from "./sessions.ts";

const SESSIONS = 200_000;
const TIMES = 60;

const ROWS = `nodes { id startedAt user { id } totals { events failures cost models } brief { agent message endedAt lastFailed open course } }
  pageInfo { hasNextPage endCursor }`;
const LIST = `query ($sort: [RecordedSessionSortInput!], $filter: RecordedSessionFilter, $after: String) {
  recordedSessions(first: 60, sort: $sort, filter: $filter, after: $after) { ${ROWS} } }`;
const SEARCH = `query ($term: String!, $most: Int) { recordedSearch(term: $term, from: "-P31D", most: $most) { read nodes { eventId } } }`;
const WITHIN = `query ($sessionId: UUID!, $text: String) { recordedOutline(sessionId: $sessionId, text: $text, first: 5000) { ids } }`;

/** Measures pages of 200,000 sessions by each sort, and searches: over sessions, and in a session of 30,000 events. */
async function main(): Promise<void> {
  const app = await startServer();
  const tenant = await createOrganization(app);
  const events = generateSession({ seed: "large", events: 30_000, begin: Date.now() - 86_400_000, failEvery: 997 });
  await sendEvents(tenant.url, tenant.ingestKey, events);
  // The pool's time limit for a statement would be too short.
  await app.runtime.db.connection(async (client) => {
    for (const text of FILL) await client.query(text, text.includes("$1") ? [tenant.organizationId] : []);
  });
  const say = (name: string, figure: unknown) => process.stdout.write(`${name}: ${JSON.stringify(figure)}\n`);
  for (const name of ["startedAt", "duration", "cost", "failures"]) {
    const sort = [{ [name]: { order: "Descending" } }];
    say(`${name}, first page`, await timed(tenant, LIST, { sort }));
    const { recordedSessions } = await tenant.gql(LIST, { sort });
    say(`${name}, next page`, await timed(tenant, LIST, { sort, after: recordedSessions.pageInfo.endCursor }));
    const filter = { startedAt: { gte: "-P7D" } };
    say(`${name}, of 7 days`, await timed(tenant, LIST, { sort, filter }));
  }
  const refused = { sort: [{ cost: {} }], filter: { agent: { eq: "nobody" } } };
  say("cost of an agent, refused", await timed(tenant, LIST, refused));
  for (const most of [20_000, 100_000])
    say(`search that finds nothing in ${most}`, await timed(tenant, SEARCH, { term: "nowhere to be found", most }));
  say("search for what is everywhere", await timed(tenant, SEARCH, { term: "e" }));
  const sessionId = events[0]?.session_id;
  for (const text of ["nowhere to be found", "Found 1 error"])
    say(`${text}, in 30,000 events`, await timed(tenant, WITHIN, { sessionId, text }));
  await app.close();
}

/**
 * Sessions over 60 days with two events each. Raw SQL, because sending the
 * sessions would take longer than the whole bench.
 */
const FILL = [
  `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered, received_at,
      last_received_at, events, failures, turns, tool_calls, cost, ended_at)
    select $1, gen_random_uuid(), '{}', now() - n * interval '25.9 seconds', true, false, now(), now(), 2, n % 13, 1, 1,
      (n::bigint * 7919 % 100003) / 1000.0, now() - n * interval '25.9 seconds' + (n::bigint * 104729 % 3600) * interval '1 second'
    from generate_series(1, ${SESSIONS}) n`,
  `insert into recorded_event (organization_id, event_id, session_id, parent_id, timestamp, received_at, latency, timestamp_sent,
      success, primitive_name, args, result)
    select $1, gen_random_uuid(), session_id, case when k = 2 then session_id end, timestamp + k * interval '1 second', now(), 40,
      true, k = 1 or failures = 0, case when k = 1 then 'my-agent' else 'Bash' end, repeat('what to do ', 20), repeat('a line of output ', 30)
    from recorded_session, generate_series(1, 2) k where organization_id = $1 and registered is false`,
  "analyze recorded_session",
  "analyze recorded_event",
];

/**
 * The median, the 95th percentile and the maximum of several durations, in ms. The first run plans the query and
 * does not count.
 */
async function timed(tenant: Tenant, query: string, variables: object) {
  const times: number[] = [];
  for (let n = 0; n <= TIMES; n += 1) {
    const begun = performance.now();
    await tenant.graphql(query, variables as Record<string, unknown>);
    times.push(performance.now() - begun);
  }
  const sorted = times.slice(1).sort((a, b) => a - b);
  const at = (share: number) => Math.round(10 * (sorted[Math.min(TIMES - 1, Math.floor(TIMES * share))] ?? 0)) / 10;
  return { median: at(0.5), p95: at(0.95), most: at(1) };
}

await main();
