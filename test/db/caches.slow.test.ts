import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import fc from "fast-check";
import type { LRUCache } from "lru-cache";
import { CACHE_BYTES, type Cache, type CacheName, createCache, measureCaches } from "../../server/cache.ts";
import { createOrganization, startServer } from "../support/server.ts";

const MIB = 1024 * 1024;
const NAMES = Object.keys(CACHE_BYTES) as CacheName[];

describe("the caches of a process", () => {
  it("may hold 64 MiB in total", () => {
    const sum = Object.values(CACHE_BYTES).reduce((total, bytes) => total + bytes, 0);
    expect(sum).to.be.at.most(64 * MIB);
  });

  it("each hold no more than declared, for any entries", () => {
    const entry = fc.record({ key: fc.string({ maxLength: 40 }), share: fc.double({ min: 0, max: 1.2, noNaN: true }) });
    const property = (name: CacheName, entries: { key: string; share: number }[], ttl: number | undefined) => {
      const cache = createCache<{ bytes: number }>({ name, sizeOf: ({ bytes }) => bytes, ...(ttl && { ttl }) });
      for (const { key, share } of entries) {
        cache.set(key, { bytes: share * CACHE_BYTES[name] });
        let held = 0;
        for (const [own, { bytes }] of entriesIn(cache)) held += bytes + 2 * own.length;
        expect(held).to.be.at.most(CACHE_BYTES[name]);
        expect(cache.calculatedSize).to.be.within(held, CACHE_BYTES[name]);
      }
    };
    const entries = fc.array(entry, { maxLength: 40 });
    const ttl = fc.option(fc.constant(1_000), { nil: undefined });
    fc.assert(fc.property(fc.constantFrom(...NAMES), entries, ttl, property), { numRuns: 500 });
  });

  it("are reported in /metrics with bytes and entries", async () => {
    const app = await startServer({ METRICS: "on" });
    const tenant = await createOrganization(app);
    await tenant.gql("{ viewer { id } }");
    const text = await (await fetch(`${app.url}/metrics`)).text();
    for (const name of NAMES) {
      const bytes = Number(new RegExp(`^cache_bytes\\{cache="${name}"\\} (\\d+)$`, "m").exec(text)?.[1]);
      const count = Number(new RegExp(`^cache_entries\\{cache="${name}"\\} (\\d+)$`, "m").exec(text)?.[1]);
      // The metrics include servers of other tests in this process.
      expect(bytes, name).to.be.at.least(count);
    }
    expect(text).to.match(/^cache_entries\{cache="plans"\} [1-9]/m);
  });

  it("stay within their limits under many documents and shapes, and so does the heap", async () => {
    const tenant = await createOrganization();
    const before = heap();
    for (let document = 0; document < DOCUMENTS; document += 1) {
      const query = `query Q${document}($filter: IssueFilter) { issues(after: "x", filter: $filter) { nodes { id } } }`;
      const shapes = Array.from({ length: SHAPES }, (_, shape) => ({ filter: shapeOf(shape) }));
      const replies = await Promise.all(shapes.map((variables) => tenant.graphql(query, variables)));
      // The server makes the plan before checking the cursor, so the database does no work.
      for (const { errors } of replies) expect(errors?.[0]?.message).to.match(/cursor is malformed/);
    }
    const grown = (heap() - before) / MIB;
    expect(entriesOf("plans"), "some were dropped").to.be.within(1, DOCUMENTS * SHAPES - 1);
    for (const { name, bytes } of measureCaches().filter(({ name }) => PROCESS_WIDE.includes(name)))
      expect(bytes, name).to.be.at.most(CACHE_BYTES[name]);
    expect(grown, "MiB of heap").to.be.below(45);
  });

  it("keep no values for which a plan was made", async () => {
    const tenant = await createOrganization();
    const text = (mark: number) => `${mark} ${"x".repeat(600_000)}`;
    const filters = [
      (mark: number) => ({ title: { contains: text(mark) } }),
      (mark: number) => ({ title: { in: [text(mark)] } }),
      (mark: number) => ({ id: { eq: text(mark) } }),
      (mark: number) => ({ or: [{ team: { id: { in: [text(mark)] } } }] }),
      (mark: number) => ({ comments: { some: { body: { startsWith: text(mark) } } } }),
    ];
    const before = heap();
    for (let mark = 0; mark < 60; mark += 1) {
      const query = `query V${mark}($filter: IssueFilter) { issues(after: "x", filter: $filter) { nodes { id } } }`;
      await tenant.graphql(query, { filter: filters[mark % filters.length]?.(mark) });
    }
    expect((heap() - before) / MIB, "MiB of heap").to.be.below(15);
  });

  it("are all created by createCache, and other long-lived collections are listed here with their limit", () => {
    const undeclared = sources()
      .filter((file) => makesCollections(file) && !DECLARED.has(file) && file !== "server/cache.ts")
      .map((file) => file);
    expect(undeclared, "say here what bounds it, or use createCache").to.deep.equal([]);
    // Code can iterate over the library's own type, but not over `Cache`. Code that runs for each row must not take
    // time for each entry.
    const libraries = sources().filter((file) => /\bLRUCache\b|"lru-cache"/.test(readFileSync(file, "utf8")));
    expect(libraries).to.deep.equal(["server/cache.ts"]);
    expect(
      [...DECLARED.keys()].filter((file) => !makesCollections(file)),
      "declared in vain",
    ).to.deep.equal([]);
  });
});

/** Server code has no access to the entries of a cache, so this test uses the library's type. */
const entriesIn = <Value extends object>(cache: Cache<Value>) => (cache as LRUCache<string, Value>).entries();

const DOCUMENTS = 60;
const SHAPES = 15;
const PROCESS_WIDE: readonly string[] = [
  "documents",
  "operations",
  "plans",
  "write-statements",
  "row-statements",
  "pages",
];

/** Returns a filter of 90 comparisons. Each number gives a different shape. */
const shapeOf = (shape: number) => ({
  or: Array.from({ length: 90 }, (_, at) => (at === shape ? { number: { eq: 1 } } : { team: { key: { eq: "NONE" } } })),
});

const entriesOf = (name: CacheName) => measureCaches().find((use) => use.name === name)?.entries;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const sources = (): string[] =>
  ["server", "db", "concurrency", "redaction"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(ts|js)$/.test(name) && !name.includes("pages/"))
      .map((name) => join(folder, name)),
  );

/** Returns true if a file creates empty collections, which are meant to grow. */
const makesCollections = (file: string): boolean =>
  /\bnew (Map|Set|WeakMap|WeakSet)(<.*>)?\(\)/.test(readFileSync(file, "utf8"));

const CALL = "is gone when the call ends";
const DATABASES = "an entry a database";
const IN_FLIGHT = "an entry a request or statement in flight, whose number is bounded";

/** The limit of each file's collections. */
const DECLARED = new Map([
  ["db/distribution/nodes.ts", "the nodes of the database and the tables with copies on each, read anew each second"],
  ["server/auth/last-used.ts", "10,000 keys a table, written down and emptied every 5 s"],
  ["server/accounts/recorded-reads.ts", "10,000 reads, written down and emptied every 5 s"],
  ["server/auth/secret.ts", "an entry a server secret"],
  ["server/write/change.ts", "an entry an entity of the model"],
  ["server/write/load.ts", CALL],
  ["redaction/assignment.ts", "256 names of at most 96 characters"],
  ["redaction/commands.ts", CALL],
  ["redaction/index.ts", CALL],
  ["redaction/pattern.ts", CALL],
  ["redaction/plain.ts", CALL],
  ["redaction/reading.ts", CALL],
  ["redaction/triggers.ts", "an entry a literal that is searched for"],
  ["server/admin/backup/restore.ts", CALL],
  ["server/graphql/document/filter-variables.ts", "an entry an input type of the schema"],
  ["server/jobs/trash.ts", CALL],
  [
    "server/ingest/request/memory-budget.ts",
    "an entry an organization with a request in flight, whose bytes are bounded",
  ],
  ["server/scans/pool.ts", "an entry an organization with text that waits, of which 32 MiB may"],
  ["server/admin/redact/redact.ts", CALL],
  ["server/admin/redact/slice.ts", CALL],
  ["server/ingest/deleted-observations.ts", CALL],
  ["server/ingest/tombstones.ts", CALL],
  ["server/ingest/observe/append.ts", "three values a key that another cache holds, gone with it"],
  ["server/ingest/observe/project/named-sessions.ts", CALL],
  ["server/jobs/retention/retention.ts", CALL],
  ["server/jobs/costs.ts", CALL],
  ["server/jobs/loops.ts", CALL],
  ["server/ingest/store/insert-transaction.ts", CALL],
  ["server/resources/recorded/deletion/remove.ts", CALL],
  [
    "server/write/group-commit/row-cache.ts",
    "500 rows and 100 authors an organization, counted by the cache of rows; what a transaction reads lives as long as that",
  ],
  ["server/stream/webhooks/due.ts", "8 organizations"],
  ["server/write/mutate.ts", CALL],
  ["server/read/row.ts", CALL],
  ["server/graphql/document/collect.ts", CALL],
  ["server/graphql/document/document.ts", CALL],
  ["server/graphql/derived-types.ts", CALL],
  ["server/graphql/execute.ts", CALL],
  ["server/graphql/operation/introspection.ts", CALL],
  ["server/graphql/document/field-arguments.ts", "an entry a field of the schema"],
  ["server/graphql/plan/plan-key.ts", "an entry a field and a type of the schema"],
  ["server/graphql/operation/mutation.ts", CALL],
  ["server/graphql/operation/query.ts", CALL],
  ["server/graphql/operation/recorded.ts", "the names of a root field, gone with the field"],
  ["server/resources/recorded/sessions/texts.ts", CALL],
  ["server/ingest/request/body/timeout.ts", IN_FLIGHT],
  ["server/oauth/parameters.ts", CALL],
  ["server/ingest/otlp/receive.ts", CALL],
  ["server/ingest/sdk/langfuse.ts", CALL],
  ["server/ingest/sdk/langsmith.ts", CALL],
  ["server/ingest/otlp/grpc.ts", "a connection; 1,000 at most"],
  ["server/ingest/otlp/decode/json.ts", CALL],
  ["server/ingest/otlp/decode/protobuf.ts", CALL],
  ["server/ingest/otlp/meaning/interpret.ts", CALL],
  ["server/ingest/observe/prepare.ts", CALL],
  ["server/ingest/observe/fold/fold.ts", CALL],
  ["server/ingest/observe/fold/groups.ts", CALL],
  ["server/ingest/observe/fold/progress.ts", CALL],
  ["server/ingest/observe/fold/joins.ts", CALL],
  ["server/ingest/observe/fold/spans.ts", CALL],
  ["server/ingest/observe/fold/traces.ts", CALL],
  ["server/ingest/observe/fold/turn-owners.ts", CALL],
  ["server/ingest/observe/store/session-updates.ts", CALL],
  ["server/ingest/observe/project/difference.ts", CALL],
  ["server/ingest/observe/project/load.ts", CALL],
  ["server/ingest/observe/project/transaction.ts", CALL],
  ["server/ingest/observe/store/observation-rows.ts", CALL],
  ["server/ingest/observe/project/projector.ts", "organizations whose observations this process folds just now"],
  ["server/ingest/store/merged-sessions.ts", CALL],
  ["server/jobs/deletion.ts", CALL],
  ["concurrency/group-commit.ts", "a group for each key or organization with work, each with a bound on what waits"],
  ["server/auth/live.ts", CALL],
  ["server/write/derived/separate.ts", "an entry a model"],
  ["server/write/derived/derived.ts", "is gone when the transaction ends"],
  ["server/resources/issue/counts.ts", CALL],
  ["server/write/group-commit/found-together.ts", "is gone when the transaction ends"],
  ["server/id.ts", IN_FLIGHT],
  ["server/graphql/plan/answer-bound.ts", "an entry a document in the cache of documents"],
  ["db/pipeline/prepared.ts", "an entry a connection, of at most 800 statements each"],
  ["concurrency/abort.ts", IN_FLIGHT],
  ["concurrency/expiry.ts", IN_FLIGHT],
  ["db/errors/full-disk.ts", DATABASES],
  ["server/ingest/store/deltas.ts", CALL],
  ["server/resources/recorded/analytics/count/marks.ts", CALL],
  ["server/resources/recorded/analytics/count/hour.ts", "a slice of 20,000 events of one hour"],
  ["server/resources/import/label.ts", CALL],
  ["server/resources/import/load.ts", CALL],
  ["server/resources/import/relation.ts", CALL],
  ["server/resources/import/team.ts", CALL],
  ["server/resources/recorded/failures/reopen.ts", "a slice of groups"],
  ["server/ingest/store/sessions.ts", CALL],
  ["server/ingest/store/database-sink.ts", CALL],
  ["server/ingest/store/users.ts", CALL],
  ["concurrency/fair-queue.ts", "an entry a key that waits; at most 2,000 submissions wait"],
  ["server/write/deletion/dependents.ts", "an entry an entity of the model"],
  ["server/write/deletion/remove-for-good.ts", CALL],
  ["server/stream/realtime/realtime.ts", "an entry a connection; at most 20,000"],
  ["server/stream/realtime/room.ts", "an entry an organization with a connected client; at most 20,000 connections"],
  ["server/stream/realtime/handshake.ts", "an entry a connection"],
  ["server/stream/webhooks/webhooks.ts", "128 deliveries under way"],
  ["db/pipeline/answers.ts", "an entry a connection, of the statements that it keeps prepared"],
  ["db/builder.ts", "an entry a compiled statement of the source"],
  ["db/statements/begin.ts", "an entry a connection"],
  ["db/embedded/bridge.ts", IN_FLIGHT],
  ["db/embedded/thread.ts", IN_FLIGHT],
  ["db/pipeline/packet.ts", "is gone when the call ends, or lives as long as a packet"],
  ["db/pool/pool.ts", "an entry a connection"],
  ["db/pool/queue.ts", IN_FLIGHT],
  ["db/pool/shares.ts", "an entry an organization, of at most 10,000"],
  ["concurrency/semaphore.ts", IN_FLIGHT],
  ["db/statements/statement.ts", "an entry a connection"],
  ["db/wake/wake.ts", "listeners of this process"],
  ["db/wake/touches.ts", "handed on and begun anew every quarter of a second; 21 names an organization"],
  ["server/stream/realtime/touched.ts", "organizations and sockets of this process, and 21 sessions each"],
  ["server/counters.ts", "an entry a declared measure, and a number for each value that the code writes"],
  ["server/stream/feed.ts", "an entry an organization with a connected client; at most 20,000 connections"],
  ["server/stream/notices/notices.ts", "organizations touched since rules were last checked, and 100 sessions each"],
  ["server/stream/notices/changes.ts", CALL],
  ["server/resources/handover/text.ts", CALL],
  ["server/resources/proof/line.ts", CALL],
  ["server/resources/proof/proof.ts", CALL],
  ["server/ingest/observe/fold/waits.ts", CALL],
  ["server/agents/gemini-cli/tools.ts", CALL],
  ["server/resources/recorded/actions/lines.ts", CALL],
  ["server/resources/recorded/actions/plan.ts", CALL],
  ["concurrency/coalescer.ts", "organizations that changed in this turn of the loop, or since the last notification"],
]);
