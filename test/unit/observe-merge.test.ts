import { createHash } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { withoutUndefined } from "../../server/agents/fields.ts";
import { buildEventRow } from "../../server/ingest/observe/fold/event.ts";
import { type EventFacts, mergeFacts } from "../../server/ingest/observe/fold/facts.ts";
import { groupReportsByEvent, type ReportWithoutId } from "../../server/ingest/observe/fold/groups.ts";
import { toSessionId, toTurnId, uuid5 } from "../../server/ingest/observe/fold/ids.ts";
import { createCostCalculator, DEFAULT_PRICE_OPTIONS } from "../../server/prices/prices.ts";
import { scaleRuns } from "../support/run/runs.ts";

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const word = fc.constantFrom("a", "b", "bb", "mcp_tool", "Bash");
const text = fc.record({ text: word, truncated: fc.boolean() });
const at = fc.integer({ min: 1_000, max: 1_020 });

const facts: fc.Arbitrary<EventFacts> = fc
  .record({
    source: fc.constantFrom("claude-code", "codex"),
    kind: fc.constantFrom("turn", "tool", "llm", "subagent", "other"),
    id: maybe(word),
    turn: maybe(word),
    parentCall: maybe(word),
    span: maybe(word),
    startedAt: maybe(at),
    startSeen: maybe(at),
    endedAt: maybe(at),
    endSeen: maybe(at),
    latency: maybe(fc.nat(9)),
    name: maybe(word),
    genericName: maybe(word),
    args: maybe(text),
    result: maybe(text),
    success: maybe(fc.boolean()),
    error: maybe(word),
    model: maybe(word),
    usage: maybe(
      fc.record({ inputTokens: fc.nat(3), cost: fc.double({ min: 0, max: 1, noNaN: true }) }, { requiredKeys: [] }),
    ),
    metadata: maybe(fc.dictionary(word, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 })),
    ended: maybe(fc.constant(true as const)),
    refused: maybe(fc.constant(true as const)),
  })
  .map((all) => withoutUndefined<EventFacts>(all as EventFacts));

const NAMESPACES = ["6ba7b810-9dad-11d1-80b4-00c04fd430c8", "0190163d-8694-739b-aea5-966c26f8ad91"];

/** UUIDv5, implemented step by step from RFC 9562. */
function uuid5Of(namespace: string, name: string): string {
  const bytes = createHash("sha1").update(namespace.replaceAll("-", ""), "hex").update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const PLACE = {
  prices: createCostCalculator(DEFAULT_PRICE_OPTIONS),
  event_id: "e",
  session_id: "s",
  parent_id: null,
  received_at: 0,
  now: 0,
  progress: {},
};

describe("facts of an event", () => {
  it("merge to the same state in any order, with repeats", () => {
    const told = fc
      .array(facts, { minLength: 1, maxLength: 5 })
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 })));
    fc.assert(
      fc.property(told, ([all, again]) => {
        expect(again.reduce(mergeFacts)).to.deep.equal(all.reduce(mergeFacts));
        expect(buildEventRow(again.reduce(mergeFacts), PLACE)).to.deep.equal(
          buildEventRow(all.reduce(mergeFacts), PLACE),
        );
      }),
      { numRuns: scaleRuns(500) },
    );
  });

  it("merge to the same state in any grouping", () => {
    fc.assert(
      fc.property(facts, facts, facts, (a, b, c) => {
        expect(mergeFacts(mergeFacts(a, b), c)).to.deep.equal(mergeFacts(a, mergeFacts(b, c)));
      }),
      { numRuns: scaleRuns(500) },
    );
  });

  it("keep complete texts, failures and the greater count", () => {
    fc.assert(
      fc.property(facts, facts, (a, b) => {
        const both = mergeFacts(a, b);
        if (a.success === false || b.success === false) expect(both.success).to.equal(false);
        const whole = [a.result, b.result].some((result) => result && !result.truncated);
        if (whole) expect(both.result?.truncated).to.not.equal(true);
        const counts = [a, b].flatMap(({ usage }) => usage?.inputTokens ?? []);
        if (counts.length > 0) expect(both.usage?.inputTokens).to.equal(Math.max(...counts));
      }),
    );
  });
});

describe("observations without ids", () => {
  /** Equal calls in sequence, each reported by four sources of which some reports are lost. */
  const calls = fc.array(fc.record({ before: fc.boolean(), log: fc.boolean(), span: fc.boolean() }), { maxLength: 5 });
  const partsOf = (all: { before: boolean; log: boolean; span: boolean }[]): ReportWithoutId[] =>
    all.flatMap((lost, index) => {
      const start = index * 60_000;
      const part = (role: ReportWithoutId["role"], time: number): ReportWithoutId => ({
        part_id: uuid5("00000000-0000-0000-0000-000000000000", `${role}${time}`),
        role,
        at: time,
        facts: { source: "gemini-cli", kind: "tool", name: "t", result: { text: `${index}` } },
      });
      return [
        ...(lost.before ? [] : [part("before", start)]),
        ...(lost.span ? [] : [part("span", start + 30_000)]),
        ...(lost.log ? [] : [part("log", start + 30_001)]),
        part("after", start + 30_002),
      ];
    });

  it("form one event per call, whichever are lost and in any order", () => {
    const told = calls
      .map(partsOf)
      .chain((parts) => fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })));
    fc.assert(
      fc.property(told, ([parts, again]) => {
        expect(groupReportsByEvent(again, "tool")).to.deep.equal(groupReportsByEvent(parts, "tool"));
        expect(groupReportsByEvent(parts, "tool").length).to.equal(parts.filter(({ role }) => role === "after").length);
        for (const own of groupReportsByEvent(parts, "tool"))
          expect(new Set(own.map(({ facts: { result } }) => result?.text)).size).to.equal(1);
      }),
      { numRuns: scaleRuns(500) },
    );
  });
});

describe("ids of recorded sessions and turns", () => {
  it("are the agent's own ids if they are UUIDs, and UUIDv5 otherwise", () => {
    // Expected value from another implementation of RFC 9562: uuidv5(DNS, "www.example.com").
    expect(uuid5("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com")).to.equal(
      "2ed6657d-e927-568b-95e1-2665a8aea6a2",
    );
    const id = "0190163D-8694-739B-AEA5-966C26F8AD91";
    expect(toSessionId(id, "codex", id)).to.equal(id.toLowerCase());
    expect(toTurnId(id, id)).to.equal(id.toLowerCase());
    expect(toSessionId(id, "codex", "s-1")).to.equal(uuid5(id, "codexs-1"));
  });

  it("are independent of earlier calls with other namespaces, agents and names of any length", () => {
    const name = fc.oneof(
      fc.constantFrom("a", "b", "é"),
      fc.string({ unit: "binary" }),
      fc.constant("é".repeat(1_100)),
    );
    const asked = fc.record({ namespace: fc.constantFrom(...NAMESPACES), source: fc.constantFrom("", "a"), name });
    fc.assert(
      fc.property(fc.array(asked, { minLength: 2, maxLength: 20 }), (all) => {
        for (const { namespace, source, name } of all) {
          expect(uuid5(namespace, name)).to.equal(uuid5Of(namespace, name));
          expect(toSessionId(namespace, source, name)).to.equal(uuid5Of(namespace, source + name));
        }
      }),
    );
  });
});
