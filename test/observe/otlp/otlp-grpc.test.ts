import { once } from "node:events";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { ingestion } from "../../../server/ingest/ingestion.ts";
import { type GrpcServer, listenGrpc } from "../../../server/ingest/otlp/grpc.ts";
import { freshWriter } from "../../support/recording/ingest.ts";
import { bothEncodings, fixture, oracleDecode, outline, storedTrees } from "../../support/recording/otlp.ts";
import { sharedServer } from "../../support/server.ts";

const TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const { protobuf } = bothEncodings(fixture("sdk/vercel-ai.json"));
const MAX_BYTES = 256 * 1024;
const TREE =
  "turn weather-agent\n  llm mock-1-0601\n  other step 1\n  tool get_weather\n  other step 2\n  llm mock-1-0601\n  tool broken failed\n  other step 3\n  llm mock-1-0601\n";

/** A message in a frame that says how long it is. */
function framed(message: Buffer, flag = 0, length = message.length): Buffer {
  const head = Buffer.from([flag, 0, 0, 0, 0]);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

describe("OTLP over gRPC", () => {
  let server: GrpcServer;
  let session: ClientHttp2Session;

  before(async () => {
    const { runtime } = await sharedServer();
    const config = { ...runtime.config, OTLP_GRPC_PORT: 0, INGEST_RATE_REQUESTS: 5 };
    const listening = await listenGrpc(ingestion({ ...runtime, config }, { maxBytes: MAX_BYTES, stallMs: 2_000 }));
    if (!listening) throw new Error("it does not listen");
    server = listening;
    session = connect(`http://127.0.0.1:${server.port}`);
  });
  after(async () => {
    session.close();
    await server.close(1_000);
  });

  const opened = (headers: OutgoingHttpHeaders) =>
    session.request({
      ":method": "POST",
      ":path": TRACES,
      "content-type": "application/grpc",
      te: "trailers",
      ...headers,
    });

  /** One call: the status it ended with, and its message. */
  async function call(body: Buffer, headers: OutgoingHttpHeaders) {
    const stream = opened(headers);
    const answer = answerOf(stream);
    stream.end(body);
    return answer;
  }

  async function answerOf(stream: ReturnType<typeof opened>) {
    const status: Record<string, unknown> = {};
    stream.on("response", (sent) => Object.assign(status, sent)).on("trailers", (sent) => Object.assign(status, sent));
    const message = await buffer(stream);
    return { code: Number(status["grpc-status"]), words: decodeURIComponent(String(status["grpc-message"])), message };
  }

  it("records what HTTP records, as it is and with gzip, and again adds nothing", async () => {
    for (const [body, coding] of [
      [framed(protobuf), "identity"],
      [framed(gzipSync(protobuf), 1), "gzip"],
    ] as const) {
      const writer = await freshWriter();
      const headers = { authorization: `Bearer ${writer.key}`, "grpc-encoding": coding };
      for (let times = 0; times < 2; times += 1) {
        const { code, message } = await call(body, headers);
        expect(code).to.equal(0);
        expect(oracleDecode("TracesResponse", message.subarray(5))).to.deep.equal({});
      }
      expect(outline(await storedTrees(writer.organizationId))).to.equal(TREE);
    }
  });

  it("refuses by the status that an exporter knows", async () => {
    const { key, organizationId } = await freshWriter();
    const own = { "x-api-key": key };
    const large = Buffer.alloc(MAX_BYTES + 1);
    const refused = async (body: Buffer, headers: OutgoingHttpHeaders) => (await call(body, headers)).code;
    expect(await refused(framed(protobuf), {})).to.equal(16);
    expect(await refused(framed(protobuf), { ...own, ":path": "/other.Service/Export" })).to.equal(12);
    expect(await refused(framed(protobuf), { ...own, "content-type": "application/json" })).to.equal(3);
    expect(await refused(framed(protobuf, 0, protobuf.length + 1), own)).to.equal(3);
    expect(await refused(framed(Buffer.from("no message")), own)).to.equal(3);
    expect(await refused(framed(protobuf, 1), { ...own, "grpc-encoding": "snappy" })).to.equal(12);
    expect(await storedTrees(organizationId)).to.deep.equal([]);
    const { key: other } = await freshWriter();
    for (const body of [framed(large), framed(gzipSync(large), 1), framed(gzipSync(protobuf).subarray(0, 99), 1)])
      expect(await refused(body, { "x-api-key": other, "grpc-encoding": "gzip" })).to.equal(3);
  });

  it("has exporters come again when a key is over its rate, and ends a call that stalls", async () => {
    const { key } = await freshWriter();
    const stalled = opened({ "x-api-key": key });
    stalled.write(framed(protobuf).subarray(0, 9));
    expect((await answerOf(stalled)).code).to.equal(4);
    const codes = await Promise.all(Array.from({ length: 12 }, () => call(framed(protobuf), { "x-api-key": key })));
    expect(new Set(codes.map(({ code }) => code))).to.deep.equal(new Set([0, 14]));
    expect(codes.find(({ code }) => code === 14)?.words).to.match(/^Too many requests or events with this key/);
    stalled.close();
    if (!stalled.closed) await once(stalled, "close");
  });
});
