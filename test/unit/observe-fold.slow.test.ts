import { expect } from "chai";
import fc from "fast-check";
import { withoutUndefined } from "../../server/agents/fields.ts";
import type { Observation } from "../../server/agents/observation.ts";
import { findPartIds } from "../../server/ingest/observe/correlation.ts";
import {
  assignObservationsToSessions,
  type FoldOutput,
  foldObservations,
} from "../../server/ingest/observe/fold/fold.ts";
import { toCallId, toSessionId, toTurnId } from "../../server/ingest/observe/fold/ids.ts";
import type { StoredObservation } from "../../server/ingest/observe/store/observation-rows.ts";
import { createCostCalculator, DEFAULT_PRICE_OPTIONS } from "../../server/prices/prices.ts";
import { scaleRuns } from "../support/run/runs.ts";

const ORGANIZATION = "0190163d-8694-739b-aea5-966c26f8ad91";
const NOW = 1_900_000_000_000;
const PRICES = createCostCalculator(DEFAULT_PRICE_OPTIONS);

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const word = fc.constantFrom("a", "b", "c");
const prompt = fc.constantFrom("prompt a", "prompt b");
const trace = fc.constantFrom("t1", "t2", "t3");
const span = fc.constantFrom("s1", "s2", "s3", "s4");
const at = fc.integer({ min: NOW - 20_000, max: NOW });
const text = fc.record({ text: fc.constantFrom("", "ls", "ls -l"), truncated: maybe(fc.constant(true)) });

/** A report of hooks, telemetry or a transcript. Ids come from a small set, so that reports concern the same events. */
const observation: fc.Arbitrary<Observation> = fc
  .record({
    source: fc.constantFrom("claude-code", "claude-code", "gemini-cli", "assistant"),
    isHook: maybe(fc.constant(true)),
    isTranscript: maybe(fc.constant(true)),
    usage: maybe(fc.record({ inputTokens: fc.constantFrom(10, 20), outputTokens: fc.constant(5) })),
    session: maybe(fc.constantFrom("x", "x", "y")),
    trace: maybe(trace),
    span: maybe(span),
    parentSpan: maybe(span),
    kind: maybe(fc.constantFrom("turn", "tool", "llm", "subagent", "other")),
    id: maybe(word),
    turn: maybe(prompt),
    parentCall: maybe(word),
    startedAt: maybe(at),
    endedAt: maybe(at),
    isArrival: maybe(fc.constant(true)),
    name: maybe(word),
    args: maybe(text),
    result: maybe(text),
    success: maybe(fc.boolean()),
    ends: maybe(fc.constantFrom("event", "turn", "session")),
    input: maybe(word),
  })
  .filter(({ session, trace: own }) => session !== undefined || own !== undefined)
  // A turn and a call never share an id, nor do spans of two traces. An agent without ids names the session.
  .map((all) => ({
    ...all,
    id: all.kind === "turn" && all.id !== undefined ? `prompt ${all.id}` : all.id,
    span: all.span && `${all.trace} ${all.span}`,
    parentSpan: all.parentSpan && `${all.trace} ${all.parentSpan}`,
    session: all.source === "gemini-cli" ? "g" : all.session,
  }))
  .map((all) => withoutUndefined<Observation>(all as Observation));

const storedOf = (observations: readonly Observation[]): StoredObservation[] =>
  observations.map((each, index) => ({
    part: findPartIds(ORGANIZATION, each)[0] ?? "",
    receivedAt: NOW - 1_000 + index,
    keyName: "key",
    observation: each,
  }));

const folded = (stored: readonly StoredObservation[], progress: FoldOutput["progress"] = new Map()): FoldOutput =>
  foldObservations(
    { organizationId: ORGANIZATION, now: NOW, prices: PRICES, progress },
    assignObservationsToSessions(ORGANIZATION, stored),
  );

/** Returns the complete result of a fold in sorted order. */
function shown({ events, progress, components }: FoldOutput): object {
  const sorted = <T>(list: Iterable<T>) => [...list].map((each) => JSON.stringify(each)).sort();
  return { events: sorted(events), progress: sorted(progress), components: sorted(components) };
}

describe("a fold of observations", () => {
  it("gives the same result in any order, with repeats", () => {
    const sets = fc
      .array(observation, { minLength: 1, maxLength: 12 })
      .map(storedOf)
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 })));
    fc.assert(
      fc.property(sets, ([once, again]) => {
        expect(shown(folded(again))).to.deep.equal(shown(folded(once)));
      }),
      { numRuns: scaleRuns(10_000) },
    );
  }).timeout(600_000);

  it("gives the same result in separate parts if nothing joins the parts", () => {
    fc.assert(
      fc.property(fc.array(observation, { minLength: 1, maxLength: 12 }).map(storedOf), (all) => {
        const whole = folded(all);
        const groups = new Map<string, StoredObservation[]>();
        for (const each of all) {
          const component = whole.components.get(each.part) ?? "";
          groups.set(component, [...(groups.get(component) ?? []), each]);
        }
        const { progress } = whole;
        const apart = [...groups.values()].flatMap((group) => folded(group, progress).events);
        const together = folded(all, progress).events;
        const sorted = (events: FoldOutput["events"]) => events.map((each) => JSON.stringify(each)).sort();
        expect(sorted(apart)).to.deep.equal(sorted(together));
      }),
      { numRuns: scaleRuns(5_000) },
    );
  }).timeout(600_000);

  it("assigns each observation about an event to exactly one event", () => {
    fc.assert(
      fc.property(fc.array(observation, { minLength: 1, maxLength: 12 }).map(storedOf), (all) => {
        const { events, kept } = folded(all);
        const ids = new Set(events.map(({ row }) => row.event_id));
        expect(ids.size).to.equal(events.length);
        for (const { observation: each } of kept) if (each.kind) expect(ids.size).to.be.above(0);
        const told = kept.filter(({ event_id }) => event_id !== null);
        expect(told.length).to.equal(kept.filter(({ observation: { kind } }) => kind !== undefined).length);
      }),
      { numRuns: scaleRuns(2_000) },
    );
  }).timeout(60_000);

  it("finds the turn of a trace by a call that both hooks and spans report", () => {
    const common = { source: "claude-code", session: "x", startedAt: NOW - 10, endedAt: NOW };
    const hook = { ...common, isHook: true, isArrival: true };
    const all: Observation[] = [
      { ...hook, kind: "turn", id: "p" },
      { ...hook, kind: "tool", id: "c", turn: "p" },
      { ...common, kind: "tool", id: "c", trace: "t", span: "1" },
      { ...common, kind: "llm", id: "r", trace: "t", span: "2" },
    ];
    const session = toSessionId(ORGANIZATION, "claude-code", "x");
    const { events, components } = folded(storedOf(all));
    const parents = Object.fromEntries(events.map(({ row }) => [row.event_id, row.parent_id]));
    const turn = toTurnId(session, "p");
    expect(parents).to.deep.equal({ [turn]: null, [toCallId(session, "c")]: turn, [toCallId(session, "r")]: turn });
    expect(new Set(components.values())).to.have.lengthOf(1);
  });
});
