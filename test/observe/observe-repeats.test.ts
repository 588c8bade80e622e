import { expect } from "chai";
import fc from "fast-check";
import { createWriter, type IngestWriter } from "../support/recording/ingest.ts";
import {
  postOtlp,
  readOtlpFixtures,
  readStoredTrees,
  splitIntoRecords,
  toComparableTrees,
} from "../support/recording/otlp.ts";
import { recordTelemetry } from "../support/recording/telemetry.ts";
import { scaleRuns } from "../support/run/runs.ts";

const CALL = {
  "event.name": "gemini_cli.tool_call",
  "session.id": "s",
  prompt_id: "p",
  function_name: "read_file",
  function_args: '{"path":"a"}',
  duration_ms: 7,
  success: true,
};

/**
 * Records of all captured bodies, one per request. Most spans of Codex contain only links, so a sample of them is
 * enough.
 */
const RECORDS = readOtlpFixtures().flatMap(({ name }) =>
  splitIntoRecords(name)
    .slice(0, 60)
    .map(({ signal, body }) => ({ agent: name.split("/")[0], signal, request: JSON.parse(body.toString()) })),
);

type Sent = (typeof RECORDS)[number];

/** Sends records in one export. A record is repeated as often as the list contains the record. */
async function send(writer: IngestWriter, records: readonly Sent[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [signal, field] of [
    ["logs", "resourceLogs"],
    ["traces", "resourceSpans"],
  ] as const) {
    const groups = records.filter((each) => each.signal === signal).flatMap(({ request }) => request[field]);
    const { status } = await postOtlp(writer, `/v1/${signal}`, Buffer.from(JSON.stringify({ [field]: groups })));
    answers.push(status);
  }
  return answers;
}

const TAKEN = [200, 200];

describe("an OTLP export with repeated records", () => {
  it("is accepted with two calls without ids that are equal to the millisecond", async () => {
    const { trees } = await recordTelemetry([], [{ at: CALL }, { at: CALL }]);
    expect(trees).to.have.length(1);
    expect(trees[0]).to.include({ kind: "tool", name: "read_file", args: '{"path":"a"}', success: true, latency: 7 });
  });

  it("stores each record once, for any repeated record of any agent", async () => {
    const some = fc
      .constantFrom(...new Set(RECORDS.map(({ agent }) => agent)))
      .map((agent) => RECORDS.filter((each) => each.agent === agent))
      .chain((records) => fc.uniqueArray(fc.constantFrom(...records), { minLength: 1, maxLength: 40 }))
      .chain((once) => fc.tuple(fc.constant(once), fc.subarray(once, { minLength: 1 })));
    await fc.assert(
      fc.asyncProperty(some, async ([once, again]) => {
        const [one, other] = [await createWriter(), await createWriter()];
        expect(await send(one, once)).to.deep.equal(TAKEN);
        expect(await send(other, [...once, ...again])).to.deep.equal(TAKEN);
        expect(toComparableTrees(await readStoredTrees(other.organizationId))).to.deep.equal(
          toComparableTrees(await readStoredTrees(one.organizationId)),
        );
      }),
      { numRuns: scaleRuns(20) },
    );
  }).timeout(120_000);
});
