import { expect } from "chai";
import fc from "fast-check";
import { createWriter } from "../../support/recording/ingest.ts";
import {
  postOtlp,
  readStoredTrees,
  type StoredNode,
  splitIntoRecords,
  toComparableTrees,
} from "../../support/recording/otlp.ts";

type Attribute = { key: string; value: Record<string, unknown> };
type TelemetryRecord = { attributes: Attribute[]; timeUnixNano?: string };

const recordOf = (body: any): TelemetryRecord =>
  body.resourceLogs?.[0].scopeLogs[0].logRecords[0] ?? body.resourceSpans[0].scopeSpans[0].spans[0];

/** Adds some milliseconds to a time. Records of one request may have different times. */
function later(nanos: string, ms: number): string {
  return String(BigInt(nanos) + BigInt(ms) * 1_000_000n);
}

/** Telemetry of Claude Code behind a gateway that assigns no ids to model requests, one record per request. */
const RECORDS = ["claude/11-otlp-logs.json", "claude/10-otlp-traces.json"].flatMap((name) =>
  splitIntoRecords(name).map(({ signal, body }, at) => {
    const sent = JSON.parse(body.toString());
    const record = recordOf(sent);
    const ids = record.attributes.filter(({ key }) => /^(request_id|gen_ai\.response\.id)$/.test(key));
    record.attributes = record.attributes.filter((attribute) => !ids.includes(attribute));
    if (signal === "logs" && record.timeUnixNano) record.timeUnixNano = later(record.timeUnixNano, at);
    return { signal, body: Buffer.from(JSON.stringify(sent)) };
  }),
);

const all = (nodes: readonly StoredNode[]): StoredNode[] => nodes.flatMap((node) => [node, ...all(node.children)]);

async function played(records: typeof RECORDS): Promise<StoredNode[]> {
  const writer = await createWriter();
  for (const { signal, body } of records) {
    const { status, bytes } = await postOtlp(writer, `/v1/${signal}`, body);
    expect([status, bytes.toString()]).to.deep.equal([200, "{}"]);
  }
  return readStoredTrees(writer.organizationId);
}

describe("a model request without a request id", () => {
  it("becomes one event with tokens and reply from two log records and a span", async () => {
    const trees = await played(RECORDS);
    const calls = all(trees).filter(({ kind }) => kind === "llm");
    expect(calls.map(({ input, result }) => [input, String(result).slice(0, 5)])).to.deep.equal([
      [1200, "I wil"],
      [1201, "Done:"],
    ]);
    const twice = fc.shuffledSubarray([...RECORDS, ...RECORDS], { minLength: 2 * RECORDS.length });
    await fc.assert(
      fc.asyncProperty(twice, async (order) => {
        expect(toComparableTrees(await played(order))).to.deep.equal(toComparableTrees(trees));
      }),
      { numRuns: 3 },
    );
  }).timeout(120_000);
});
