import { request } from "node:http";
import { connect } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import {
  createEvent,
  createWriter,
  type IngestWriter,
  type RequestBody,
  startAnotherServer,
} from "../support/recording/ingest.ts";

const MIB = 1024 * 1024;

/** Sends a body to capture-events. Returns [status, code]. The server must still accept an event afterwards. */
async function refused(body: RequestBody, headers: Record<string, string> = {}, writer?: IngestWriter) {
  const by = writer ?? (await createWriter());
  const reply = await by.raw("capture-events", body, headers);
  expect((await by.event(createEvent())).status).to.equal(200);
  expect(await by.count()).to.equal(1);
  return [reply.status, reply.body["code"]];
}

describe("ingestion bodies", () => {
  for (const [name, pack] of [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const) {
    it(`are accepted with ${name}`, async () => {
      const writer = await createWriter();
      const body = pack(JSON.stringify({ events: [createEvent(), createEvent()] }));
      const reply = await writer.raw("capture-events", body, { "Content-Encoding": name });
      expect([reply.status, reply.body["accepted"]]).to.deep.equal([202, 2]);
    });

    it(`are refused when ${name} expands beyond the limit, without growing memory`, async () => {
      const bomb = pack(Buffer.alloc(64 * MIB, " "));
      const before = process.memoryUsage().rss;
      expect(await refused(bomb, { "Content-Encoding": name })).to.deep.equal([413, "payload_too_large"]);
      expect(process.memoryUsage().rss - before).to.be.below(40 * MIB);
    });

    it(`are refused when ${name} is corrupt or truncated`, async () => {
      const whole = pack(JSON.stringify({ events: [createEvent()] }));
      const corrupt = Buffer.concat([whole.subarray(0, 20), Buffer.from("nonsense")]);
      const headers = { "Content-Encoding": name };
      expect(await refused(corrupt, headers)).to.deep.equal([400, "invalid_encoding"]);
      expect(await refused(whole.subarray(0, 30), headers)).to.deep.equal([400, "invalid_encoding"]);
    });
  }

  it("in an unknown encoding get 415 with the supported encodings", async () => {
    const writer = await createWriter();
    for (const coding of ["zstd", "gzip, br", "constructor"]) {
      const reply = await writer.raw("capture-event", "{}", { "Content-Encoding": coding });
      expect([reply.status, reply.headers.get("accept-encoding")]).to.deep.equal([415, "gzip, deflate, br"]);
    }
  });

  it("of another type get 415 with a hint", async () => {
    const writer = await createWriter();
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=latin1",
      "json",
    ]) {
      const { status, body } = await writer.raw("capture-event", "{}", { "Content-Type": type });
      expect([status, body["code"]]).to.deep.equal([415, "unsupported_media_type"]);
      expect(body["error"]).to.contain("application/json");
    }
  });

  it("may name their charset or a JSON dialect", async () => {
    const writer = await createWriter();
    for (const type of ["application/json; charset=UTF-8", "APPLICATION/JSON", "application/vnd.acme+json"]) {
      const reply = await writer.raw("capture-event", JSON.stringify(createEvent()), { "Content-Type": type });
      expect(reply.status).to.equal(200);
    }
  });

  it("over 10 MiB get 413 with the limit, declared or not", async () => {
    const writer = await createWriter();
    const large = `{"events": "${"x".repeat(10 * MIB)}"}`;
    const declared = await writer.raw("capture-events", large);
    expect([declared.status, declared.body["limit"]]).to.deep.equal([413, 10 * MIB]);
    expect(await chunked(writer, large)).to.equal(413);
  });

  it("of nearly 10 MiB are stored", async () => {
    const writer = await createWriter();
    const events = Array.from({ length: 9 }, () => createEvent({ args: "x".repeat(MIB), result: "" }));
    expect((await writer.events(events)).body["accepted"]).to.equal(9);
  });

  const bad: [string, RequestBody, number, string][] = [
    ["empty", "", 400, "invalid_json"],
    ["blank", " \n", 400, "invalid_json"],
    ["cut JSON", '{"events": [', 400, "invalid_json"],
    ["a trailing comma", '{"events": [],}', 400, "invalid_json"],
    ["NaN", '{"events": NaN}', 400, "invalid_json"],
    ["a raw NUL", '{"events": "\0"}', 400, "invalid_json"],
    ["an array", "[]", 400, "invalid_body"],
    ["null", "null", 400, "invalid_body"],
    ["a string", '"events"', 400, "invalid_body"],
    ["a number", "1e999", 400, "invalid_body"],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, "invalid_utf8"],
    ["a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 400, "invalid_utf8"],
    ["65 levels", `{"events": ${"[".repeat(64)}${"]".repeat(64)}}`, 400, "too_deep"],
    ["200,000 levels", "[".repeat(200_000), 400, "too_deep"],
    ["200,000 closed levels", `{"events": ${"[".repeat(200_000)}${"]".repeat(200_000)}}`, 400, "too_deep"],
    ["200,000 nested objects", '{"a":'.repeat(200_000), 400, "too_deep"],
  ];
  for (const [what, body, status, code] of bad) {
    it(`are refused: ${what}`, async () => {
      expect(await refused(body)).to.deep.equal([status, code]);
    });
  }

  it("may contain many brackets that are not nested", async () => {
    const writer = await createWriter();
    const event = createEvent({ args: "[{".repeat(60_000), junk: Array.from({ length: 60_000 }, () => []) });
    expect((await writer.events([event])).body["accepted"]).to.equal(1);
  });

  it("may be 64 levels deep, and begin with a byte order mark", async () => {
    const writer = await createWriter();
    const deep = `${"[".repeat(63)}${"]".repeat(63)}`;
    const reply = await writer.raw("capture-events", `\uFEFF{"events": [], "deep": ${deep}}`);
    expect(reply.status).to.equal(202);
  });

  it("that stall get 408, and other requests are served meanwhile", async () => {
    const instance = await startAnotherServer({ stallMs: 150 });
    const writer = await createWriter(instance);
    const head = "POST /api/v1/capture-events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    const socket = connect(instance.port, "127.0.0.1");
    socket.write(`${head}x-api-key: ${writer.key}\r\nContent-Length: 1000\r\n\r\n{"events"`);
    expect((await writer.event(createEvent())).status).to.equal(200);
    const answer = await new Promise((resolve) => socket.once("data", resolve));
    expect(String(answer)).to.match(/^HTTP\/1.1 408 [\s\S]*"code":"request_timeout"/);
    await instance.close();
  });

  it("that the client cuts short leave nothing and affect no other request", async () => {
    const writer = await createWriter();
    const { hostname, port } = new URL(writer.url);
    const socket = connect(Number(port), hostname);
    const head = "POST /api/v1/capture-events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    socket.write(`${head}x-api-key: ${writer.key}\r\nContent-Length: 1000\r\n\r\n{"events"`, () => socket.destroy());
    await new Promise((resolve) => socket.once("close", resolve));
    expect((await writer.event(createEvent())).status).to.equal(200);
    expect(await writer.count()).to.equal(1);
  });

  it("are checked in order: key, type, size, content", async () => {
    const writer = await createWriter();
    const large = "x".repeat(10 * MIB + 1);
    const noKey = { "x-api-key": "", "Content-Type": "text/plain" };
    const replies = [
      await writer.raw("capture-events", large, noKey),
      await writer.raw("capture-events", large, { "Content-Type": "text/plain" }),
      await writer.raw("capture-events", large),
      await writer.raw("capture-events", "x"),
    ];
    expect(replies.map(({ status }) => status)).to.deep.equal([401, 415, 413, 400]);
  });

  it("are not read before the key is checked", async () => {
    const { url } = await createWriter();
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const head = "POST /api/v1/capture-events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    socket.write(`${head}Content-Length: 1000\r\n\r\n`);
    const answer = await new Promise((resolve) => socket.once("data", resolve));
    expect(String(answer)).to.match(/^HTTP\/1.1 401 /);
    socket.destroy();
  });
});

/** Sends a body without Content-Length. Returns the status. */
const chunked = ({ url, key }: IngestWriter, body: string) =>
  new Promise((resolve, reject) => {
    const headers = { "x-api-key": key, "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
    const sent = request(`${url}/api/v1/capture-events`, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end(body);
  });
