import { Readable } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { createWriter, type IngestWriter, startAnotherServer } from "../../support/recording/ingest.ts";
import { decodeWithOracle, postOtlp, readOtlpFixture, toProtobuf } from "../../support/recording/otlp.ts";
import { startSharedServer } from "../../support/server.ts";

const PROTOBUF = { "Content-Type": "application/x-protobuf" };
const ENCODINGS = ["json", "protobuf"] as const;
type Encoding = (typeof ENCODINGS)[number];
const headersOf = (encoding: Encoding) => (encoding === "json" ? {} : PROTOBUF);

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const aSpan = (fields: object = {}) => ({
  traceId: TRACE,
  spanId: "b7ad6b7169203331",
  name: "chat m",
  startTimeUnixNano: "1795293432194000000",
  endTimeUnixNano: "1795293432238594369",
  attributes: [{ key: "gen_ai.operation.name", value: { stringValue: "chat" } }],
  ...fields,
});
const aLog = (fields: object = {}) => ({
  traceId: TRACE,
  spanId: "b7ad6b7169203331",
  timeUnixNano: "1795293432194000000",
  eventName: "gen_ai.user.message",
  body: { kvlistValue: { values: [{ key: "content", value: { stringValue: "Hi" } }] } },
  ...fields,
});
const tracesOf = (spans: object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const logsOf = (logRecords: object[]) => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
const encoded = (signal: "traces" | "logs", body: object, encoding: Encoding): Buffer =>
  encoding === "json" ? Buffer.from(JSON.stringify(body)) : toProtobuf(signal, body);

/** Reads the status from the body of an error, in the encoding of the request. */
const statusIn = (bytes: Buffer, encoding: Encoding) =>
  encoding === "json" ? JSON.parse(bytes.toString()) : decodeWithOracle("RpcStatus", bytes);

const typeOf = (encoding: Encoding) => (encoding === "json" ? "application/json" : "application/x-protobuf");

/** Wraps a value in `levels` lists. */
const nested = (levels: number): object => {
  let value: object = { stringValue: "deep" };
  for (let level = 1; level < levels; level += 1) value = { arrayValue: { values: [value] } };
  return value;
};

async function send(writer: IngestWriter, encoding: Encoding, signal: "traces" | "logs", body: object) {
  return postOtlp(writer, `/v1/${signal}`, encoded(signal, body, encoding), headersOf(encoding));
}

async function deleteKey({ organizationId }: IngestWriter): Promise<void> {
  const { db } = (await startSharedServer()).runtime;
  await db.query({ text: `delete from "ingestKey" where "organizationId" = $1`, values: [organizationId] });
}

describe("OTLP over HTTP", () => {
  for (const encoding of ENCODINGS) {
    describe(`in ${encoding}`, () => {
      it("responds to a fully accepted export with an empty message in the request's encoding", async () => {
        const writer = await createWriter();
        for (const [signal, body] of [
          ["traces", tracesOf([aSpan()])],
          ["logs", logsOf([aLog()])],
        ] as const) {
          const { status, type, bytes } = await send(writer, encoding, signal, body);
          expect([status, type, bytes.toString()]).to.deep.equal([
            200,
            typeOf(encoding),
            encoding === "json" ? "{}" : "",
          ]);
        }
        expect(await writer.count()).to.equal(1);
      });

      it("accepts compressed and chunked bodies", async () => {
        const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
        for (const [coding, compress] of Object.entries(codings)) {
          const writer = await createWriter();
          const body = compress(encoded("traces", tracesOf([aSpan()]), encoding));
          const headers = { ...headersOf(encoding), "Content-Encoding": coding };
          expect((await postOtlp(writer, "/v1/traces", body, headers)).status).to.equal(200);
          expect(await writer.count()).to.equal(1);
        }
        const writer = await createWriter();
        const body = encoded("traces", tracesOf([aSpan()]), encoding);
        const halves = [body.subarray(0, 20), body.subarray(20)];
        const response = await fetch(`${writer.url}/v1/traces`, {
          method: "POST",
          headers: { "x-api-key": writer.key, "Content-Type": typeOf(encoding) },
          body: Readable.toWeb(Readable.from(halves)) as ReadableStream,
          duplex: "half",
        } as RequestInit);
        expect([response.status, await writer.count()]).to.deep.equal([200, 1]);
      });

      it("reports the exact number of rejected records", async () => {
        const writer = await createWriter();
        const bad = [aSpan({ traceId: "00".repeat(16) }), aSpan({ spanId: "" }), aSpan({ traceId: "abcd" })];
        const { status, bytes } = await send(writer, encoding, "traces", tracesOf([...bad, aSpan()]));
        const reply = encoding === "json" ? JSON.parse(bytes.toString()) : decodeWithOracle("TracesResponse", bytes);
        const { rejectedSpans, errorMessage } = reply["partialSuccess"];
        expect([status, rejectedSpans, await writer.count()]).to.deep.equal([200, "3", 1]);
        expect(errorMessage).to.match(/2 not kept: traceId must be 16 bytes.*; 1 not kept: spanId must be 8 bytes/);
      });

      it("limits spans per request, events per span, and the characters of both", async () => {
        const writer = await createWriter();
        const id = (at: number) => (at + 1).toString(16).padStart(16, "0");
        const many = Array.from({ length: 10_002 }, (_, at) => ({ traceId: TRACE, spanId: id(at) }));
        const events = Array.from({ length: 130 }, () => ({ name: "token" }));
        const large = { key: "k", value: { stringValue: "x".repeat(4 * 1024 * 1024 + 1) } };
        const sent = [
          [tracesOf(many), "2", /beyond the first 10000/],
          [tracesOf([aSpan({ events })]), undefined, /2 span events beyond the first 128/],
          [tracesOf([aSpan({ attributes: [large] })]), "1", /more than 4194304 characters/],
        ] as const;
        for (const [body, rejected, words] of sent) {
          const { status, bytes } = await send(writer, encoding, "traces", body);
          const reply = encoding === "json" ? JSON.parse(bytes.toString()) : decodeWithOracle("TracesResponse", bytes);
          expect([status, reply["partialSuccess"]?.rejectedSpans]).to.deep.equal([200, rejected]);
          expect(reply["partialSuccess"].errorMessage).to.match(words);
        }
        const log = aLog({ attributes: [large] });
        const { bytes } = await send(writer, encoding, "logs", logsOf([log, aLog()]));
        const reply = encoding === "json" ? JSON.parse(bytes.toString()) : decodeWithOracle("LogsResponse", bytes);
        expect(reply["partialSuccess"].rejectedLogRecords).to.equal("1");
      });

      type Refusal = [string, number, number, (writer: IngestWriter) => Promise<Awaited<ReturnType<typeof postOtlp>>>];
      // In JSON, a value that is nested too deep is left out.
      const tooDeep: Refusal = [
        "values too deep",
        400,
        3,
        (w) => send(w, encoding, "traces", tracesOf([aSpan({ attributes: [{ key: "k", value: nested(33) }] })])),
      ];
      const refusals: Refusal[] = [
        ["no key", 401, 16, (w) => postOtlp({ ...w, key: "" }, "/v1/traces", Buffer.from("x"), headersOf(encoding))],
        [
          "an unknown key",
          401,
          16,
          (w) => postOtlp({ ...w, key: `sk_${"0".repeat(64)}` }, "/v1/logs", Buffer.from("x"), headersOf(encoding)),
        ],
        [
          "a broken body",
          400,
          3,
          (w) => postOtlp(w, "/v1/traces", Buffer.from([0x0a, 0x05, 0x01]), headersOf(encoding)),
        ],
        [
          "a cut body",
          400,
          3,
          (w) =>
            postOtlp(w, "/v1/logs", encoded("logs", logsOf([aLog()]), encoding).subarray(0, -3), headersOf(encoding)),
        ],
        [
          "a corrupt gzip",
          400,
          3,
          (w) =>
            postOtlp(w, "/v1/traces", Buffer.from("no gzip"), { ...headersOf(encoding), "Content-Encoding": "gzip" }),
        ],
        ...(encoding === "protobuf" ? [tooDeep] : []),
        [
          "a coding nobody knows",
          415,
          3,
          (w) => postOtlp(w, "/v1/traces", Buffer.from("x"), { ...headersOf(encoding), "Content-Encoding": "zstd" }),
        ],
        [
          "a body too large",
          413,
          3,
          (w) => postOtlp(w, "/v1/traces", Buffer.alloc(10 * 1024 * 1024 + 1), headersOf(encoding)),
        ],
        [
          "a bomb",
          413,
          3,
          (w) =>
            postOtlp(w, "/v1/traces", gzipSync(Buffer.alloc(80 * 1024 * 1024)), {
              ...headersOf(encoding),
              "Content-Encoding": "gzip",
            }),
        ],
      ];
      for (const [name, status, code, sendIt] of refusals) {
        it(`refuses ${name} with ${status} and a status in the request's encoding`, async () => {
          const writer = await createWriter();
          const reply = await sendIt(writer);
          expect([reply.status, reply.type]).to.deep.equal([status, typeOf(encoding)]);
          const told = statusIn(reply.bytes, encoding);
          expect(told.code).to.equal(code);
          expect(told.message).to.be.a("string").and.not.equal("");
          expect(await writer.count()).to.equal(0);
        });
      }

      it("refuses a deleted key for any body, even on a server that caches the key", async () => {
        const instance = await startAnotherServer();
        for (const [path, body] of [
          ["/v1/traces", encoded("traces", tracesOf([aSpan()]), encoding)],
          ["/v1/traces", encoded("traces", tracesOf([]), encoding)],
          ["/v1/logs", Buffer.from([1])],
          ["/v1/metrics", Buffer.alloc(0)],
        ] as const) {
          const writer = await createWriter(instance);
          expect((await send(writer, encoding, "logs", logsOf([aLog()]))).status).to.equal(200);
          await deleteKey(writer);
          expect((await postOtlp(writer, path, body, headersOf(encoding))).status).to.equal(401);
        }
        await instance.close();
      });

      it("responds with 429 and 503 with Retry-After, and stores nothing", async () => {
        const { runtime } = await startSharedServer();
        const rated = await startAnotherServer({}, { config: { ...runtime.config, INGEST_RATE_REQUESTS: 1 } });
        const writer = await createWriter(rated);
        const body = tracesOf([aSpan()]);
        const replies = [];
        for (let n = 0; n < 3; n += 1) replies.push(await send(writer, encoding, "traces", body));
        const last = replies.at(-1);
        expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 429]);
        expect([
          last?.headers.get("retry-after"),
          statusIn(last?.bytes ?? Buffer.alloc(0), encoding).code,
        ]).to.deep.equal(["1", 8]);
        await rated.close();

        const full = await startAnotherServer({ maxInFlight: 100 });
        const other = await createWriter(full);
        const refused = await send(other, encoding, "traces", tracesOf([aSpan({ name: "x".repeat(1_000) })]));
        expect([
          refused.status,
          refused.headers.get("retry-after"),
          statusIn(refused.bytes, encoding).code,
        ]).to.deep.equal([503, "1", 14]);
        expect(await other.count()).to.equal(0);
        await full.close();

        const stopping = await startAnotherServer({}, { stopping: AbortSignal.abort() });
        const late = await send(await createWriter(stopping), encoding, "traces", body);
        expect([late.status, late.headers.get("retry-after")]).to.deep.equal([503, "1"]);
        await stopping.close();
      });
    });
  }

  it("accepts the key as x-api-key, as a bearer token, and as the password of Basic authentication", async () => {
    const writer = await createWriter();
    const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
    const accepted = [
      { "x-api-key": writer.key },
      { Authorization: `Bearer ${writer.key}` },
      { authorization: `bearer ${writer.key}` },
      { Authorization: basic(`pk-lf-public:${writer.key}`) },
      { Authorization: basic(`:${writer.key}`) },
    ];
    const refused = [
      { Authorization: basic(`${writer.key}:`) },
      { Authorization: writer.key },
      { Authorization: "Basic %" },
      { Authorization: basic(writer.key) },
    ];
    for (const [headers, status] of [
      ...accepted.map((h) => [h, 200] as const),
      ...refused.map((h) => [h, 401] as const),
    ]) {
      const response = await fetch(`${writer.url}/v1/traces`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...(headers as Record<string, string>) },
        body: JSON.stringify(tracesOf([aSpan()])),
      });
      expect([response.status, Object.keys(headers)]).to.deep.equal([status, Object.keys(headers)]);
    }
  });

  it("reports accepted, rejected and meaningless records in headers", async () => {
    const writer = await createWriter();
    const plain = aSpan({ spanId: "b7ad6b7169203332", name: "GET /", attributes: [] });
    const { headers } = await send(writer, "json", "traces", tracesOf([aSpan(), plain, aSpan({ spanId: "" })]));
    const counts = ["accepted", "rejected", "skipped"].map((name) => headers.get(`x-ingest-${name}`));
    expect(counts).to.deep.equal(["2", "1", "1"]);
  });

  it("accepts metrics and discards them", async () => {
    const writer = await createWriter();
    for (const name of ["claude/12-otlp-metrics.json", "claude/16-otlp-metrics.pb", "gemini/15-otlp-metrics.json"]) {
      const { bytes, isProtobuf } = readOtlpFixture(name);
      const reply = await postOtlp(writer, "/v1/metrics", bytes, isProtobuf ? PROTOBUF : {});
      expect([reply.status, reply.bytes.toString()]).to.deep.equal([200, isProtobuf ? "" : "{}"]);
    }
    expect(await writer.count()).to.equal(0);
  });

  it("is also served at Langfuse's path, and at no other", async () => {
    const writer = await createWriter();
    const body = Buffer.from(JSON.stringify(tracesOf([aSpan()])));
    const statuses = [];
    for (const path of ["/api/public/otel/v1/traces", "/v1/traces?x=1", "/v1/profiles", "/v1/traces/x"]) {
      statuses.push((await postOtlp(writer, path, body)).status);
    }
    expect(statuses).to.deep.equal([200, 200, 404, 404]);
    expect(await writer.count()).to.equal(1);
  });

  it("refuses other methods and content types", async () => {
    const writer = await createWriter();
    const get = await fetch(`${writer.url}/v1/traces`, { headers: { "x-api-key": writer.key } });
    expect([get.status, get.headers.get("allow")]).to.deep.equal([405, "POST"]);
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/grpc",
      "application/json; charset=latin1",
    ]) {
      const { status, bytes } = await postOtlp(writer, "/v1/traces", Buffer.from("{}"), { "Content-Type": type });
      expect([type, status, JSON.parse(bytes.toString()).code]).to.deep.equal([type, 415, 3]);
    }
  });

  it("names the invalid field of a JSON body", async () => {
    const writer = await createWriter();
    const bad: [object, RegExp][] = [
      [{ resourceSpans: {} }, /^resourceSpans must be an array/],
      [{ data: [{ trace_id: "t" }] }, /^The body must be an object with resourceSpans$/],
      [{ resourceLogs: [] }, /^The body must be an object with resourceSpans; send resourceLogs to \/v1\/logs$/],
    ];
    for (const [body, words] of bad) {
      const { status, bytes } = await send(writer, "json", "traces", body);
      expect(status).to.equal(400);
      expect(JSON.parse(bytes.toString()).message).to.match(words);
    }
  });

  it("stores the other records of a JSON body when a value or a record is invalid, and names both", async () => {
    const bad: [object, rejected: string | undefined, RegExp][] = [
      [{ attributes: [{ key: "k", value: "text" }] }, undefined, /attributes\[0\]\.value must be an object/],
      [{ attributes: [{ key: "k", value: nested(33) }] }, undefined, /nested at most 32 levels/],
      [{ startTimeUnixNano: "soon" }, "1", /startTimeUnixNano must be nanoseconds/],
      [{ traceId: 5 }, "1", /traceId must be a string in hex/],
    ];
    for (const [members, rejected, words] of bad) {
      const writer = await createWriter();
      const { status, bytes } = await send(
        writer,
        "json",
        "traces",
        tracesOf([aSpan(members), aSpan({ spanId: "b".repeat(16) })]),
      );
      const { partialSuccess } = JSON.parse(bytes.toString());
      expect([status, partialSuccess.rejectedSpans]).to.deep.equal([200, rejected]);
      expect(partialSuccess.errorMessage).to.match(words);
      expect(await writer.count()).to.equal(rejected ? 1 : 2);
    }
  });

  it("accepts an export without records, and empty values", async () => {
    const writer = await createWriter();
    for (const body of [{}, tracesOf([]), { resourceSpans: [{ resource: null, scopeSpans: null }] }]) {
      expect((await send(writer, "json", "traces", body)).status).to.equal(200);
    }
    expect((await postOtlp(writer, "/v1/traces", Buffer.alloc(0), PROTOBUF)).status).to.equal(200);
    expect(await writer.count()).to.equal(0);
  });
});
