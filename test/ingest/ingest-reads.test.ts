import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { createEvent, createSession, sendRaw } from "../support/recording/ingest.ts";
import { createOrganization, type RestReply, type Tenant } from "../support/server.ts";

const HOUR = 3_600_000;

/** Creates an organization with functions that record and read. */
async function freshReader() {
  const tenant = await createOrganization();
  const post = (path: string, body: object): Promise<RestReply> =>
    sendRaw(`${tenant.url}/api/v1/${path}`, JSON.stringify(body), { "x-api-key": tenant.ingestKey });
  return {
    ...tenant,
    session: (body: object) => post("capture-session", body),
    events: (events: object[]) => post("capture-events", { events }),
  };
}

const read = async (tenant: Tenant, field: string, selection: string): Promise<any> => {
  const data = await tenant.gql(`{ ${field} { ${selection} } }`);
  return Object.values(data)[0];
};
const idsOf = ({ nodes }: { nodes: { id: string }[] }) => nodes.map(({ id }) => id);

describe("recorded sessions", () => {
  it("show user, metadata, client, start and totals", async () => {
    const reader = await freshReader();
    const started = Date.now() - HOUR;
    const session = createSession({
      user_data: { user_id: "u-1", plan: "pro" },
      metadata: { tier: 2 },
      client_config: "sdk 1",
      timestamp: started,
    });
    const turn = createEvent({ session_id: session.session_id });
    const call = createEvent({ session_id: session.session_id, parent_id: turn.event_id, success: false });
    await reader.session(session);
    await reader.events([turn, call]);
    const selection =
      "id registered startedAt clientConfig metadata user { id traits } totals { events failures turns toolCalls }";
    expect(await read(reader, `recordedSession(id: "${session.session_id.toUpperCase()}")`, selection)).to.deep.equal({
      id: session.session_id,
      registered: true,
      startedAt: new Date(started).toISOString(),
      clientConfig: "sdk 1",
      metadata: { tier: 2 },
      user: { id: "u-1", traits: { plan: "pro" } },
      totals: { events: 2, failures: 1, turns: 1, toolCalls: 1 },
    });
  });

  it("that are known only from events are listed without a user", async () => {
    const reader = await freshReader();
    const event = createEvent();
    await reader.events([event]);
    const session = await read(reader, `recordedSession(id: "${event.session_id}")`, "registered user { id } metadata");
    expect(session).to.deep.equal({ registered: false, user: null, metadata: {} });
  });

  it("are not found by an invalid id or by another organization", async () => {
    const [one, other] = [await freshReader(), await freshReader()];
    const event = createEvent();
    await one.events([event]);
    for (const id of [event.session_id, uuidv7(), "nonsense"]) {
      const { errors } = await other.graphql(`{ recordedSession(id: "${id}") { id } }`);
      expect(errors?.[0]?.extensions.code).to.equal("NOT_FOUND");
    }
    expect(idsOf(await read(other, "recordedSessions", "nodes { id }"))).to.deep.equal([]);
  });

  it("are listed newest first, each once across pages", async () => {
    const reader = await freshReader();
    const sessions = Array.from({ length: 7 }, (_, n) => createSession({ timestamp: Date.now() - n * HOUR }));
    for (const session of sessions.toReversed()) await reader.session(session);
    const found: string[] = [];
    for (let after: string | null = null; ; ) {
      const args = `(first: 3${after ? `, after: "${after}"` : ""})`;
      const page = await read(reader, `recordedSessions${args}`, "nodes { id } pageInfo { hasNextPage endCursor }");
      found.push(...idsOf(page));
      after = page.pageInfo.endCursor;
      if (!page.pageInfo.hasNextPage) break;
    }
    expect(found).to.deep.equal(sessions.map(({ session_id }) => session_id));
  });

  const filters: [what: string, filter: string, found: number[]][] = [
    ["user id", '{user: {id: {eq: "ann"}}}', [0]],
    ["trait", '{user: {traits: {key: "plan", eq: "pro"}}}', [0, 2]],
    ["trait of a number", '{user: {traits: {key: "seats", eq: 5}}}', [0]],
    ["trait of a number as text", '{user: {traits: {key: "seats", eq: "5"}}}', []],
    ["trait among several", '{user: {traits: {key: "plan", in: ["free", "none"]}}}', [1]],
    ["trait that is another", '{user: {traits: {key: "seats", neq: 5}}}', [1, 2]],
    ["metadata key", '{metadata: {key: "build", eq: {n: 1}}}', [1]],
    ["presence of a metadata key", '{metadata: {key: "build", exists: true}}', [1, 2]],
    ["absence of a metadata key", '{metadata: {key: "build", exists: false}}', [0]],
    ["time", '{startedAt: {lt: "2025-06-01"}}', [2]],
    ["time range", '{startedAt: {gte: "2025-06-01", lte: "2026-02-01"}}', [1]],
    ["agent", '{agent: {eq: "planner"}}', [1]],
    ["a tool's name is no agent", '{agent: {eq: "search"}}', []],
    ["failures", "{hasFailures: {eq: true}}", [2]],
    ["no failures", "{hasFailures: {eq: false}}", [0, 1]],
    ["either", '{or: [{user: {id: {eq: "ann"}}}, {hasFailures: {eq: true}}]}', [0, 2]],
    ["both", '{user: {traits: {key: "plan", eq: "pro"}}, hasFailures: {eq: true}}', [2]],
    ["what is in no text", '{user: {traits: {key: "\\u0000", eq: "\\u0000"}}}', []],
  ];
  for (const [what, filter, found] of filters) {
    it(`are filtered by ${what}`, async () => {
      const { reader, ids } = await shelf();
      const page = await read(reader, `recordedSessions(filter: ${filter})`, "nodes { id }");
      expect(idsOf(page).sort()).to.deep.equal(found.map((n) => ids[n]).sort());
    });
  }

  it("refuse a filter by key without a condition", async () => {
    const { reader } = await shelf();
    const { errors } = await reader.graphql('{ recordedSessions(filter: {metadata: {key: "a"}}) { nodes { id } } }');
    expect(errors?.[0]?.extensions.code).to.equal("INPUT_ERROR");
  });
});

let shelved: Promise<{ reader: Awaited<ReturnType<typeof freshReader>>; ids: string[] }> | undefined;

/** Creates three sessions for the tests of filters, once. No test writes to them. */
function shelf() {
  shelved ??= (async () => {
    const reader = await freshReader();
    const ids = [uuidv7(), uuidv7(), uuidv7()];
    const at = ["2026-03-01", "2026-01-01", "2025-01-01"].map((day) => Date.parse(day));
    const users = [
      { user_id: "ann", plan: "pro", seats: 5 },
      { user_id: "bob", plan: "free" },
      { user_id: "cid", plan: "pro" },
    ];
    const metadata = [{}, { build: { n: 1 } }, { build: 2 }];
    for (const [n, session_id] of ids.entries()) {
      await reader.session({ session_id, user_data: users[n], metadata: metadata[n], timestamp: at[n] });
    }
    const turn = createEvent({ session_id: ids[1], primitive_name: "planner" });
    const call = createEvent({ session_id: ids[1], primitive_name: "search", parent_id: turn.event_id });
    await reader.events([
      turn,
      call,
      createEvent({ session_id: ids[2], success: false }),
      createEvent({ session_id: ids[0] }),
    ]);
    return { reader, ids };
  })();
  return shelved;
}

describe("a recorded event", () => {
  it("shows the sent values", async () => {
    const reader = await freshReader();
    const event = createEvent({
      primitive_type: "tool",
      latency: 2 ** 53 - 1,
      timestamp: Date.UTC(2025, 1, 2, 3, 4, 5, 6),
      args: 'é"\\\n',
      metadata: { a: [1, { b: null }] },
    });
    await reader.events([event]);
    const selection = `id parentId primitiveName primitiveType args result success latency timestamp metadata orphan root
      session { id } checkpoints { name }`;
    expect(await read(reader, `recordedEvent(id: "${event.event_id}")`, selection)).to.deep.equal({
      id: event.event_id,
      parentId: null,
      primitiveName: event.primitive_name,
      primitiveType: "tool",
      args: event.args,
      result: event.result,
      success: true,
      latency: event.latency,
      timestamp: "2025-02-02T03:04:05.006Z",
      metadata: event.metadata,
      orphan: false,
      root: true,
      session: { id: event.session_id },
      checkpoints: [],
    });
  });

  it("shows its checkpoints in order, with offset, delta and share", async () => {
    const reader = await freshReader();
    const at = 1_760_000_000_000;
    const metadata = { "checkpoint.sent": at + 100, "checkpoint.parsed": at, "checkpoint.": at + 400, other: at };
    const event = createEvent({ metadata });
    await reader.events([event]);
    const { checkpoints } = await read(
      reader,
      `recordedEvent(id: "${event.event_id}")`,
      "checkpoints { name at offset delta share }",
    );
    expect(checkpoints).to.deep.equal([
      { name: "parsed", at, offset: 0, delta: 0, share: 0 },
      { name: "sent", at: at + 100, offset: 100, delta: 100, share: 0.25 },
      { name: "", at: at + 400, offset: 400, delta: 300, share: 0.75 },
    ]);
  });

  it("shows checkpoints with equal times without a share, and under other response keys", async () => {
    const reader = await freshReader();
    const event = createEvent({ metadata: { "checkpoint.b": 7, "checkpoint.a": 7 } });
    await reader.events([event]);
    const { steps } = await read(
      reader,
      `recordedEvent(id: "${event.event_id}")`,
      "steps: checkpoints { share label: name }",
    );
    expect(steps).to.deep.equal([
      { share: 0, label: "a" },
      { share: 0, label: "b" },
    ]);
  });
});

describe("long events", () => {
  const MIB = 1024 * 1024;

  it("show the first maxLength characters per field, with a separate limit for each field", async () => {
    const reader = await freshReader();
    const event = createEvent({ args: "äöü".repeat(10), result: "short" });
    await reader.events([event]);
    const selection = "args(maxLength: 4) rest: args result(maxLength: 9)";
    const read = (more: string, head = "") =>
      reader.graphql(`${head} { recordedEvent(id: "${event.event_id}") { ${more} } }`);
    expect((await read(selection)).data.recordedEvent).to.deep.equal({
      ...{ args: "äöüä", rest: event.args, result: "short" },
    });
    expect((await read("args(maxLength: 0)")).data.recordedEvent).to.deep.equal({ args: "" });
    expect((await read("args(maxLength: $n)", "query ($n: Int)")).data.recordedEvent).to.deep.equal({
      args: event.args,
    });
    const { errors } = await read("args(maxLength: -1)");
    expect(errors?.[0]).to.include({ message: "maxLength must not be negative" });
  });

  it("are refused when the response would exceed 32 MiB, and can be read in smaller pages", async () => {
    const reader = await freshReader();
    const session = createSession();
    await reader.session(session);
    for (let sent = 0; sent < 40; sent += 8) {
      const events = Array.from({ length: 8 }, () =>
        createEvent({ session_id: session.session_id, result: "x".repeat(MIB) }),
      );
      expect((await reader.events(events)).body).to.include({ accepted: 8 });
    }
    const page = (first: number, result: string) =>
      reader.graphql(`{ recordedSession(id: "${session.session_id}") {
        events(first: ${first}) { nodes { ${result} } pageInfo { hasNextPage } } } }`);
    const { data, errors } = await page(40, "result");
    expect(data).to.equal(null);
    expect(errors?.[0]?.message).to.match(/^the answer would be larger than 32 MiB; ask for fewer rows/);
    expect(errors?.[0]?.extensions).to.include({ code: "PAYLOAD_TOO_LARGE" });
    expect((await page(8, "result")).data.recordedSession.events.nodes).to.have.lengthOf(8);
    expect((await page(40, "result(maxLength: 3)")).data.recordedSession.events.nodes).to.deep.equal(
      Array.from({ length: 40 }, () => ({ result: "xxx" })),
    );
  });
});

describe("the tree of a session", () => {
  const TREE = `events(filter: {root: {eq: true}}, first: 9) { nodes { id orphan
    children(first: 9) { nodes { id orphan children(first: 9) { nodes { id orphan } } } } } }`;

  it("has tool calls below turns and nested tools below tools, oldest first", async () => {
    const reader = await freshReader();
    const session_id = uuidv7();
    const at = Date.now() - HOUR;
    const event = (n: number, parent_id?: string) => createEvent({ session_id, timestamp: at + n, parent_id });
    const turn = event(0);
    const [late, early] = [event(2, turn.event_id), event(1, turn.event_id)];
    const sub = event(3, late.event_id);
    await reader.events([sub, late, early, turn]);
    const node = (id: string, ...children: object[]) => ({ id, orphan: false, children: { nodes: children } });
    const leaf = { id: sub.event_id, orphan: false };
    expect((await read(reader, `recordedSession(id: "${session_id}")`, TREE)).events.nodes).to.deep.equal([
      node(turn.event_id, node(early.event_id), node(late.event_id, leaf)),
    ]);
  });

  it("shows an event with an unknown parent at the root, marked, until the parent arrives", async () => {
    const reader = await freshReader();
    const parent = createEvent();
    const child = createEvent({ session_id: parent.session_id, parent_id: parent.event_id });
    const top = async () => (await read(reader, `recordedSession(id: "${parent.session_id}")`, TREE)).events.nodes;
    await reader.events([child]);
    expect(await top()).to.deep.equal([{ id: child.event_id, orphan: true, children: { nodes: [] } }]);
    await reader.events([parent]);
    expect(await top()).to.have.nested.property("[0].children.nodes[0].id", child.event_id);
    expect(await top()).to.have.length(1);
  });

  it("treats a parent in another session as unknown", async () => {
    const reader = await freshReader();
    const parent = createEvent();
    const child = createEvent({ parent_id: parent.event_id });
    await reader.events([parent, child]);
    const shown = await read(reader, `recordedEvent(id: "${child.event_id}")`, "orphan root parentId");
    expect(shown).to.deep.equal({ orphan: true, root: true, parentId: parent.event_id });
    expect(await read(reader, `recordedEvent(id: "${parent.event_id}")`, "children { nodes { id } }")).to.deep.equal({
      children: { nodes: [] },
    });
  });

  it("breaks a cycle at its earliest event, and marks it", async () => {
    const reader = await freshReader();
    const session_id = uuidv7();
    const ids = [uuidv7(), uuidv7(), uuidv7()];
    const circle = ids.map((event_id, n) =>
      createEvent({
        event_id,
        session_id,
        parent_id: ids[(n + 1) % 3],
        timestamp: Date.now() - (n === 1 ? 2 : 1) * HOUR,
      }),
    );
    const below = createEvent({ session_id, parent_id: ids[0] });
    await reader.events([...circle, below]);
    const { events } = await read(reader, `recordedSession(id: "${session_id}")`, TREE);
    // Event 1 is the earliest. Event 0 is a child of 1; the events 2 and `below` are children of 0.
    expect(events.nodes).to.have.length(1);
    expect(events.nodes[0]).to.include({ id: ids[1], orphan: true });
    expect(idsOf(events.nodes[0].children)).to.deep.equal([ids[0]]);
    expect(idsOf(events.nodes[0].children.nodes[0].children).sort()).to.deep.equal([ids[2], below.event_id].sort());
  });

  it("is also available as a flat list, oldest first, in pages", async () => {
    const reader = await freshReader();
    const session_id = uuidv7();
    const events = Array.from({ length: 5 }, (_, n) => createEvent({ session_id, timestamp: Date.now() - HOUR + n }));
    await reader.events(events.toReversed());
    const page = async (args: string) =>
      (
        await read(
          reader,
          `recordedSession(id: "${session_id}")`,
          `events(${args}) { nodes { id } pageInfo { endCursor } }`,
        )
      ).events;
    const first = await page("first: 3");
    const rest = await page(`first: 3, after: "${first.pageInfo.endCursor}"`);
    expect([...idsOf(first), ...idsOf(rest)]).to.deep.equal(events.map(({ event_id }) => event_id));
    expect(idsOf(await page("last: 2"))).to.deep.equal(events.slice(3).map(({ event_id }) => event_id));
  });
});

describe("recorded users", () => {
  it("are listed with their traits and sessions, in pages, for any ids", async () => {
    const reader = await freshReader();
    const ids = ["zoë", 'a"b\\', "é".repeat(256), "0190163d-8694-739b-aea5-966c26f8ad91"];
    for (const user_id of ids) await reader.session(createSession({ user_data: { user_id, n: null } }));
    const found: string[] = [];
    for (let after = ""; found.length < ids.length; ) {
      const page = await read(
        reader,
        `recordedUsers(first: 1${after && `, after: "${after}"`})`,
        "nodes { id traits sessions { nodes { id } } } pageInfo { endCursor }",
      );
      expect(page.nodes[0]).to.deep.include({ traits: { n: null } });
      expect(page.nodes[0].sessions.nodes).to.have.length(1);
      found.push(page.nodes[0].id);
      after = page.pageInfo.endCursor;
    }
    expect(found.sort()).to.deep.equal(ids.sort());
  });
});

describe("recorded tool stats", () => {
  const STATS = "truncated from to tools { name calls failures p50 p95 p99 }";

  it("count calls, failures and latencies of tools, not of turns", async () => {
    const reader = await freshReader();
    const turn = createEvent({ latency: 9_999 });
    const calls = Array.from({ length: 100 }, (_, n) =>
      createEvent({ primitive_name: "search", primitive_type: "tool", latency: n + 1, success: n >= 3 }),
    );
    const sub = createEvent({ primitive_name: "fetch", parent_id: turn.event_id, session_id: turn.session_id });
    await reader.events([turn, ...calls, sub]);
    const { tools, truncated } = await read(reader, "recordedToolStats", STATS);
    expect(truncated).to.equal(false);
    expect(tools).to.deep.equal([
      { name: "search", calls: 100, failures: 3, p50: 49.5, p95: 95, p99: 95 },
      { name: "fetch", calls: 1, failures: 0, p50: null, p95: null, p99: null },
    ]);
  });

  it("cover the last 24 hours by default, and at most 92 days", async () => {
    const reader = await freshReader();
    const old = createEvent({ primitive_type: "tool", timestamp: Date.now() - 48 * HOUR });
    await reader.events([old]);
    expect((await read(reader, "recordedToolStats", STATS)).tools).to.deep.equal([]);
    expect((await read(reader, 'recordedToolStats(from: "-P3D")', STATS)).tools).to.have.length(1);
    for (const range of ['from: "-P93D"', 'from: "2026-01-02", to: "2026-01-01"']) {
      const { errors } = await reader.graphql(`{ recordedToolStats(${range}) { truncated } }`);
      expect(errors?.[0]?.extensions.code).to.equal("INPUT_ERROR");
    }
  });
});
