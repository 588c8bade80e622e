import { type EventEmitter, once } from "node:events";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { connect as connectTcp } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { createIngestion } from "../../../server/ingest/ingestion.ts";
import { type GrpcServer, listenGrpc } from "../../../server/ingest/otlp/grpc.ts";
import { createWriter } from "../../support/recording/ingest.ts";
import {
  decodeWithOracle,
  encodeBothWays,
  readOtlpFixture,
  readStoredTrees,
  writeOutline,
} from "../../support/recording/otlp.ts";
import { createOrganization, startSharedServer } from "../../support/server.ts";

const TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const { protobuf } = encodeBothWays(readOtlpFixture("sdk/vercel-ai.json"));
const MAX_BYTES = 256 * 1024;
const TREE =
  "turn weather-agent\n  llm mock-1-0601\n  other step 1\n  tool get_weather\n  other step 2\n  llm mock-1-0601\n  tool broken failed\n  other step 3\n  llm mock-1-0601\n";

/** Adds the frame with the length to a message. */
function framed(message: Buffer, flag = 0, length = message.length): Buffer {
  const head = Buffer.from([flag, 0, 0, 0, 0]);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

describe("OTLP over gRPC", () => {
  let server: GrpcServer;
  let session: ClientHttp2Session;

  before(async () => {
    const { runtime } = await startSharedServer();
    const config = { ...runtime.config, OTLP_GRPC_PORT: 0, INGEST_RATE_REQUESTS: 5 };
    const listening = await listenGrpc(
      createIngestion({ ...runtime, config }, { maxBytes: MAX_BYTES, stallMs: 2_000 }),
    );
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

  /** Makes one call. Returns the status and the message of the response. */
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

  it("records the same as OTLP over HTTP, plain or with gzip, and adds nothing when repeated", async () => {
    for (const [body, coding] of [
      [framed(protobuf), "identity"],
      [framed(gzipSync(protobuf), 1), "gzip"],
    ] as const) {
      const writer = await createWriter();
      const headers = { authorization: `Bearer ${writer.key}`, "grpc-encoding": coding };
      for (let times = 0; times < 2; times += 1) {
        const { code, message } = await call(body, headers);
        expect(code).to.equal(0);
        expect(decodeWithOracle("TracesResponse", message.subarray(5))).to.deep.equal({});
      }
      expect(writeOutline(await readStoredTrees(writer.organizationId))).to.equal(TREE);
    }
  });

  it("refuses with the gRPC status that exporters expect", async () => {
    const { key, organizationId } = await createWriter();
    const own = { "x-api-key": key };
    const large = Buffer.alloc(MAX_BYTES + 1);
    const refused = async (body: Buffer, headers: OutgoingHttpHeaders) => (await call(body, headers)).code;
    expect(await refused(framed(protobuf), {})).to.equal(16);
    expect(await refused(framed(protobuf), { ...own, ":path": "/other.Service/Export" })).to.equal(12);
    expect(await refused(framed(protobuf), { ...own, "content-type": "application/json" })).to.equal(3);
    expect(await refused(framed(protobuf, 0, protobuf.length + 1), own)).to.equal(3);
    expect(await refused(framed(Buffer.from("no message")), own)).to.equal(3);
    expect(await refused(framed(protobuf, 1), { ...own, "grpc-encoding": "snappy" })).to.equal(12);
    expect(await readStoredTrees(organizationId)).to.deep.equal([]);
    const { key: other } = await createWriter();
    for (const body of [framed(large), framed(gzipSync(large), 1), framed(gzipSync(protobuf).subarray(0, 99), 1)])
      expect(await refused(body, { "x-api-key": other, "grpc-encoding": "gzip" })).to.equal(3);
  });

  it("makes exporters retry when a key exceeds its rate, and ends a call that stalls", async () => {
    const { key } = await createWriter();
    const stalled = opened({ "x-api-key": key });
    stalled.write(framed(protobuf).subarray(0, 9));
    expect((await answerOf(stalled)).code).to.equal(4);
    const codes = await Promise.all(Array.from({ length: 12 }, () => call(framed(protobuf), { "x-api-key": key })));
    expect(new Set(codes.map(({ code }) => code))).to.deep.equal(new Set([0, 14]));
    expect(codes.find(({ code }) => code === 14)?.words).to.match(/^Too many requests or events with this key/);
    stalled.close();
    if (!stalled.closed) await once(stalled, "close");
  });

  describe("on a connection", () => {
    const WAITS = { show: 200, end: 100 };
    let own: GrpcServer;
    before(async () => {
      const { runtime } = await startSharedServer();
      const config = { ...runtime.config, OTLP_GRPC_PORT: 0 };
      own = (await listenGrpc(createIngestion({ ...runtime, config }, { stallMs: 5_000 }), WAITS)) as GrpcServer;
    });
    after(() => own.close(1_000));
    const headersWith = (key: string | undefined) => ({
      ":method": "POST",
      ":path": TRACES,
      ...{ "content-type": "application/grpc", te: "trailers", ...(key && { "x-api-key": key }) },
    });
    const isClosed = (socket: EventEmitter) =>
      Promise.race([once(socket, "close").then(() => true), sleep(2_500, false)]);
    const STRANGERS: Record<string, (h2: ClientHttp2Session) => void> = {
      "that makes no call": () => {},
      "without a key": (h2) =>
        h2
          .request(headersWith(undefined))
          .on("error", () => {})
          .end(),
      "with a key that nobody has": (h2) => h2.request(headersWith(`sk_${"0".repeat(64)}`)).on("error", () => {}),
      "that calls again and again without a key": (h2) => {
        const call = () => {
          try {
            h2.request(headersWith(undefined)).on("error", () => {});
          } catch {
            // The server has sent GOAWAY.
          }
        };
        const timer = setInterval(call, 30);
        h2.once("close", () => clearInterval(timer));
      },
    };
    for (const [what, act] of Object.entries(STRANGERS)) {
      it(`${what} is closed`, async () => {
        const h2 = connect(`http://127.0.0.1:${own.port}`).on("error", () => {});
        act(h2);
        expect(await isClosed(h2)).to.equal(true);
      });
    }

    it("that does not speak HTTP/2 is closed", async () => {
      const said = ["", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"];
      const sockets = said.map((text) => {
        const socket = connectTcp(own.port, "127.0.0.1")
          .on("error", () => {})
          .resume();
        socket.write(text);
        return socket;
      });
      expect(await Promise.all(sockets.map(isClosed))).to.deep.equal([true, true, true]);
    });

    it("with a key stays open through a pause, a slow body and a second call", async () => {
      const { ingestKey } = await createOrganization();
      const h2 = connect(`http://127.0.0.1:${own.port}`);
      const body = framed(protobuf);
      for (let round = 0; round < 2; round += 1) {
        const stream = h2.request(headersWith(ingestKey));
        const status = once(stream, "trailers");
        stream.resume().write(body.subarray(0, 50));
        await sleep(700);
        stream.end(body.subarray(50));
        expect((await status)[0]["grpc-status"]).to.equal("0");
        await sleep(500);
      }
      expect(h2.closed).to.equal(false);
      h2.close();
    });
  });
});
