import { expect } from "chai";
import fc from "fast-check";
import { resolveSharedTurns } from "../../server/ingest/observe/fold/turn-owners.ts";
import type { StoredObservation } from "../../server/ingest/observe/store/observation-rows.ts";
import { scaleRuns } from "../support/run/runs.ts";

const TURN = "0d8f1f6e-5f0a-4c53-9a35-1f2f6f1c2b11";
const SESSIONS = ["a", "b", "c", "d", "e"];

/** Reports of one turn: each with its session, and the sessions that the report names as its origins. */
const reports = fc.array(
  fc.record({
    session: fc.constantFrom(...SESSIONS),
    origins: fc.uniqueArray(fc.constantFrom(...SESSIONS, "elsewhere")),
  }),
  { minLength: 1, maxLength: 8 },
);

function resolve(all: readonly { session: string; origins: readonly string[] }[]) {
  const stored = all.map(({ session }, at) => {
    const report = { part: session, receivedAt: at, observation: { kind: "turn", id: TURN } };
    return report as unknown as StoredObservation;
  });
  const at = (one: StoredObservation) => all[stored.indexOf(one)];
  const { copies } = resolveSharedTurns(stored, {
    own: (one) => at(one)?.session ?? "",
    origins: (one) => at(one)?.origins ?? [],
  });
  return stored.map((one) => copies.has(one));
}

describe("reports of a turn that several sessions report", () => {
  it("are copies only if another session keeps a report of the turn, for any origins that sessions name", () => {
    fc.assert(
      fc.property(reports, (all) => {
        const copied = resolve(all);
        const kept = new Set(all.flatMap(({ session }, at) => (copied[at] ? [] : [session])));
        expect(kept.size).to.be.greaterThan(0);
        all.forEach(({ session, origins }, at) => {
          if (copied[at]) expect(origins.some((origin) => origin !== session)).to.equal(true);
        });
      }),
      { numRuns: scaleRuns(300) },
    );
  });

  it("are kept in sessions that name only each other, also beside a session that recorded the turn", () => {
    const cycle = [
      { session: "a", origins: ["b"] },
      { session: "b", origins: ["a"] },
    ];
    expect(resolve(cycle)).to.deep.equal([false, false]);
    expect(resolve([...cycle, { session: "c", origins: [] }])).to.deep.equal([false, false, false]);
    expect(resolve([...cycle, { session: "c", origins: ["a"] }])).to.deep.equal([false, false, false]);
  });

  it("are copies along a chain of forks, in any order of arrival", () => {
    const chain = [
      { session: "a", origins: [] },
      { session: "b", origins: ["a"] },
      { session: "c", origins: ["b"] },
    ];
    expect(resolve(chain)).to.deep.equal([false, true, true]);
    expect(resolve(chain.toReversed())).to.deep.equal([true, true, false]);
  });
});
