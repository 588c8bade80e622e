import { expect } from "chai";
import type { Database } from "../../db/open.ts";
import { Observation } from "../../server/agents/observation.ts";
import type { ObservationBatchRow } from "../../server/ingest/observe/store/observation-rows.ts";
import { getRecentObservationCache } from "../../server/ingest/observe/store/recent.ts";

/** Creates a row of one MiB. The cache holds five such rows. */
const row = (received_at: number): ObservationBatchRow => ({
  organization_id: "0190163d-8694-739b-aea5-966c26f8ad91",
  part: "a part",
  batch_id: `batch ${received_at}`,
  session_id: null,
  received_at,
  key_name: "key",
  observations: [new Observation(String(received_at))],
  body: "x".repeat(1024 * 1024),
});

describe("the cache of recently appended observations", () => {
  it("keeps rows until a fold has read them, and drops read rows to make room", () => {
    const recent = getRecentObservationCache({} as Database);
    const rows = Array.from({ length: 12 }, (_, at) => row(at));
    const held = () => rows.flatMap((each) => recent.get(each)?.map(({ source }) => Number(source)) ?? []);
    for (const each of rows.slice(0, 8)) recent.set(each);
    expect(held()).to.deep.equal([0, 1, 2, 3, 4]);
    for (const each of rows.slice(8)) recent.set(each);
    expect(held()).to.deep.equal([4, 8, 9, 10, 11]);
  });

  it("drops rows after some seconds, without visiting each row", () => {
    const { now } = performance;
    let [ahead, asked] = [0, 0];
    performance.now = () => {
      asked += 1;
      return now.call(performance) + ahead;
    };
    try {
      const recent = getRecentObservationCache({} as Database);
      const small = (at: number) => ({ ...row(at), body: "x".repeat(1_000) });
      for (let at = 0; at < 5_000; at += 1) recent.set(small(at));
      ahead = 11_000;
      expect(recent.get(small(0)), "stale").to.equal(undefined);
      asked = 0;
      for (let at = 5_000; at < 5_100; at += 1) recent.set(small(at));
      expect(asked, "looks at the clock, of which each entry that is walked over takes one").to.be.below(1_000);
      expect(recent.get(small(5_099))).to.have.length(1);
    } finally {
      performance.now = now;
    }
  });
});
