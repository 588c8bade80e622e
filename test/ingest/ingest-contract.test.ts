import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect } from "chai";
import { hookEndpoints } from "../../server/ingest/hooks/index.ts";
import { otlpPaths } from "../../server/ingest/otlp/handler.ts";
import { createWriter, type IngestWriter, type RequestBody, startAnotherServer } from "../support/recording/ingest.ts";
import { decodeWithOracle, toProtobuf } from "../support/recording/otlp.ts";
import { startSharedServer } from "../support/server.ts";

interface Response {
  headers?: Record<string, { schema: object }>;
  content?: Record<string, unknown>;
}

interface Case {
  status: number;
  body: RequestBody;
  headers?: Record<string, string>;
  /** URL of another server that receives the request instead of the shared server. */
  through?: string;
}

const JSON_TYPE = "application/json";
const PROTOBUF_TYPE = "application/x-protobuf";
/** Response headers that carry more than the encoding of the body. */
const TELLING = /^(?:x-ingest-.*|www-authenticate|retry-after)$/;

describe("the OpenAPI document of hooks and OTLP", () => {
  let writer: IngestWriter;
  let document: { paths: Record<string, Record<string, { responses: Record<string, Response> }>> };
  const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: false });
  const [instances, closes]: [Record<string, string>, (() => unknown)[]] = [{}, []];

  before(async () => {
    writer = await createWriter();
    document = (await (await fetch(`${writer.url}/api/openapi.json`)).json()) as typeof document;
    formats.default(ajv);
    ajv.addSchema(document, "openapi");
    const { config } = (await startSharedServer()).runtime;
    const rated = { config: { ...config, INGEST_RATE_REQUESTS: 0.001 } };
    for (const [name, made] of Object.entries({
      small: startAnotherServer({ maxBytes: 64 }),
      full: startAnotherServer({ maxInFlight: 1 }),
      rated: startAnotherServer({}, rated),
    })) {
      const { url, close } = await made;
      instances[name] = url;
      closes.push(close);
    }
  });
  after(() => Promise.all(closes.map((close) => close())));

  const failures = (type: string, body: RequestBody): Case[] => [
    { status: 401, body, headers: { "x-api-key": "" } },
    { status: 401, body, headers: { "x-api-key": "sk_nobodys" } },
    { status: 400, body: "\u0007{" },
    { status: 415, body, headers: { "Content-Type": type, "Content-Encoding": "zstd" } },
    { status: 413, body: " ".repeat(65), through: "small" },
    { status: 429, body, through: "rated" },
    { status: 503, body, through: "full" },
  ];

  /** Posts one request and compares the whole response with the document. */
  async function answers(path: string, type: string, { status, body, headers, through }: Case): Promise<void> {
    const named = `${path} ${type} ${status}`;
    const url = through ? instances[through] : writer.url;
    const sent = { "x-api-key": writer.key, "Content-Type": type, ...headers };
    const response = await fetch(url + path, { method: "POST", headers: sent, body });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.status, `${named}: ${bytes}`).to.equal(status);
    const declared = document.paths[path]?.["post"]?.responses[status];
    expect(declared, named).to.be.an("object");
    const { headers: said = {}, content } = declared as Response;
    const told = [...response.headers.keys()].filter((name) => TELLING.test(name));
    expect(told, named).to.have.members(Object.keys(said).map((name) => name.toLowerCase()));
    for (const [name, { schema }] of Object.entries(said)) {
      const value = response.headers.get(name) ?? "";
      expect(ajv.validate(schema, /^\d+$/.test(value) ? Number(value) : value), `${named} ${name}: ${value}`).to.equal(
        true,
      );
    }
    const answered = response.headers.get("content-type")?.split(";", 1)[0] ?? "";
    if (!content) return expect([answered, bytes.length], named).to.deep.equal(["", 0]) && undefined;
    expect(content, named).to.have.property(answered);
    if (answered === PROTOBUF_TYPE)
      return void decodeWithOracle(status === 200 ? "TracesResponse" : "RpcStatus", bytes);
    const place = ["paths", path, "post", "responses", String(status), "content", JSON_TYPE, "schema"];
    const $ref = `openapi#/${place.map((part) => part.replaceAll("/", "~1")).join("/")}`;
    expect(ajv.validate({ $ref }, JSON.parse(bytes.toString())), `${named}: ${bytes}: ${ajv.errorsText()}`).to.equal(
      true,
    );
  }

  for (const name of hookEndpoints.keys())
    it(`describes each response of ${name}`, async () => {
      const body = JSON.stringify({ session_id: "s", conversation_id: "s", hook_event_name: "Unheard" });
      const other = { status: 415, body, headers: { "Content-Type": "text/plain" } };
      for (const each of [{ status: 204, body }, other, ...failures(JSON_TYPE, body)])
        await answers(`/api/v1/${name}`, JSON_TYPE, each);
    });

  /** Builds a request with a span or log record that the server refuses or skips. */
  const exported = (path: string) => {
    const span = { traceId: "0".repeat(32), spanId: "0".repeat(16), name: "chat" };
    return path.endsWith("logs")
      ? { resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: "hi" } }] }] }] }
      : { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  };

  for (const path of otlpPaths)
    it(`describes each response of ${path}, in JSON and in protobuf`, async () => {
      const json = JSON.stringify(exported(path));
      const signal = path.endsWith("logs") ? "logs" : "traces";
      const other = { status: 415, body: json, headers: { "Content-Type": "text/plain" } };
      const whole = { status: 200, body: json };
      for (const each of [whole, { status: 200, body: "{}" }, other, ...failures(JSON_TYPE, json)])
        if (each.status !== 400 || !path.endsWith("metrics")) await answers(path, JSON_TYPE, each);
      const protobuf = toProtobuf(signal, exported(path));
      for (const each of [{ status: 200, body: protobuf }, ...failures(PROTOBUF_TYPE, protobuf)])
        if (each.status !== 400 || !path.endsWith("metrics")) await answers(path, PROTOBUF_TYPE, each);
    });
});
