import { request } from "node:http";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { isDeeper } from "../../formats/json.ts";
import { AppError } from "../../server/errors.ts";
import {
  type CapturedBody,
  captureEvent,
  captureEvents,
  captureSession,
  type IngestEndpoint,
} from "../../server/ingest/capture/endpoints.ts";
import { parseRedaction } from "../../server/ingest/rules/redaction.ts";
import { scanEvents } from "../../server/ingest/scan/index.ts";
import { createBufferWriter } from "../../server/ingest/tuple/index.ts";
import { createCostCalculator, DEFAULT_PRICE_OPTIONS } from "../../server/prices/prices.ts";
import { createSecretScanner } from "../../server/scans/index.ts";
import { buildExpensiveBodies, type ExpensiveBody } from "../support/hostile/shapes.ts";
import { createEvent, createWriter, type IngestWriter } from "../support/recording/ingest.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { runToEnd } from "../support/to-end.ts";

/** Maximum number of values in a body, and a number that no body of 10 MiB reaches. */
const MOST = 65_536;
const ANY = 10_000_000;

const ENDPOINTS = new Map<string, IngestEndpoint<CapturedBody>>([
  ["capture-session", captureSession],
  ["capture-event", captureEvent],
  ["capture-events", captureEvents],
]);
const arrival = (bytes: number) => ({
  now: Date.now(),
  organizationId: uuidv7(),
  redaction: parseRedaction(),
  scan: createSecretScanner(new Uint8Array(32), "an organization").quick(),
  prices: createCostCalculator(DEFAULT_PRICE_OPTIONS),
  tuples: createBufferWriter(bytes + 256),
});

/** Measures the CPU time of this process in ms, so that other processes on the machine do not count. */
async function cpu(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Reads a body as the endpoint does, up to the response. */
async function read(endpoint: string, body: Buffer): Promise<void> {
  try {
    const capture = await ENDPOINTS.get(endpoint)?.(body, arrival(body.length));
    const events = capture?.events.map(() => "stored" as const) ?? [];
    capture?.answer({ key: "valid", session: "stored", events });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** Does the minimum work of a server without limits: parses the body and traverses the result once. */
const readUnbounded = (body: Buffer): boolean => isDeeper(JSON.parse(body.toString()), 64);

/** Finds the most expensive of some shapes, with the cost. */
async function dearest(some: ExpensiveBody[]): Promise<{ name: string; cost: number }> {
  let worst = { name: "", cost: 0 };
  for (const shape of some) {
    const body = shape.body();
    const cost = await cpu(() => read(shape.endpoint, body));
    if (cost > worst.cost) worst = { name: `${shape.endpoint}: ${shape.name}`, cost };
  }
  return worst;
}

/** Bodies that were expensive in the past, and a sample of all others. Each run takes a different sample. */
const FOUND = /^(many members with short|keys with NUL|a list of lists)/;
const someOf = (all: ExpensiveBody[]) => [
  ...all.filter(({ name }) => FOUND.test(name)).slice(0, 9),
  ...fc.sample(fc.constantFrom(...all), scaleRuns(12)),
];

/** Builds metadata with a number of values, not counting the object itself. */
const metadata = (values: number) => Object.fromEntries(Array.from({ length: values }, (_, index) => [`k${index}`, 1]));

describe("an ingestion body of 10 MiB", () => {
  it("costs at most a second of CPU for any shape, and some shapes cost more without limits (control)", async () => {
    const worst = [
      await dearest(someOf(buildExpensiveBodies(MOST - 500))),
      await dearest(someOf(buildExpensiveBodies(ANY))),
    ];
    for (const { name, cost } of worst) expect(cost, name).to.be.below(1_000);

    const found = buildExpensiveBodies(ANY)
      .find(({ name }) => name.startsWith("many members with short"))
      ?.body();
    const unbounded = await cpu(() => found && readUnbounded(found));
    expect(unbounded).to.be.greaterThan(2 * Math.max(...worst.map(({ cost }) => cost)));
  });

  it("with more than 65,536 values is refused before a row is processed, with the field that contains them", async () => {
    const writer = await createWriter();
    const many = metadata(MOST);
    const replies = [
      await writer.session({ session_id: uuidv7(), user_data: { user_id: "u", ...many } }),
      await writer.session({ session_id: uuidv7(), user_data: { user_id: "u" }, metadata: many }),
      await writer.event(createEvent({ metadata: many })),
      await writer.events([createEvent(), createEvent({ metadata: many })]),
      await writer.events(Array.from({ length: MOST }, () => 0)),
    ];
    const told = replies.map(({ status, body }) => [status, body["code"], body["field"], body["limit"]]);
    expect(told).to.deep.equal(
      ["user_data", "metadata", "metadata", "events", "events"].map((field) => [400, "too_many_values", field, MOST]),
    );
    expect(replies[0]?.body["error"]).to.contain("65536 values");
    expect(await writer.count()).to.equal(0);
  });

  for (const [name, pack] of [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", (text: string) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ] as const) {
    it(`is also refused when it arrives as ${name}, and affects no other request`, async () => {
      const writer = await createWriter();
      const body = pack(JSON.stringify({ events: [createEvent({ metadata: metadata(100_000) })] }));
      const [reply, other] = await Promise.all([
        writer.raw("capture-events", body, { "Content-Encoding": name }),
        writer.event(createEvent()),
      ]);
      expect([reply.status, reply.body["code"], other.status]).to.deep.equal([400, "too_many_values", 200]);
      expect(await writer.count()).to.equal(1);
    });
  }

  it("has the same number of values in the byte scanner and after JSON.parse", async () => {
    const batch = (junk: unknown) => Buffer.from(JSON.stringify({ events: [createEvent({ junk })] }));
    const frame = 1 + 1 + 1 + 5 + 1; // the body, the list, the row, five fields, the list in the sixth field
    const take = (body: Buffer) => runToEnd(scanEvents(body, arrival(body.length))) !== undefined;
    const parse = async (body: Buffer) => {
      try {
        return (await captureEvents(Buffer.from(odd(body.toString())), arrival(body.length))).sent === 1;
      } catch {
        return false;
      }
    };
    // The fast path does not read an escaped name; the slow path treats the name as equal.
    const odd = (text: string) => text.replace('"junk"', '"jun\\u006b"');
    const list = fc.constantFrom([], {}, [[]], { a: 1 }, [1, 2], "[,{", { a: [{}, "}"] });
    const count = (value: unknown): number =>
      typeof value === "object" && value !== null
        ? Object.values(value).reduce<number>((sum, each) => sum + count(each), 1)
        : 1;
    await fc.assert(
      fc.asyncProperty(list, fc.integer({ min: -2, max: 2 }), async (piece, more) => {
        const each = count(piece);
        const pieces = Math.floor((MOST - frame) / each);
        const junk: unknown[] = Array.from({ length: pieces }, () => piece);
        const rest = MOST - frame - pieces * each + more;
        for (let index = 0; index < rest; index += 1) junk.push(0);
        const body = batch(junk);
        const fits = frame + count(junk) - 1 <= MOST;
        expect([take(body), await parse(body)]).to.deep.equal([fits, fits]);
      }),
      { numRuns: scaleRuns(30) },
    );
  });

  it("may arrive in 65,536 chunks, but not in more", async () => {
    const writer = await createWriter();
    const event = createEvent({ args: "x".repeat(70_000) });
    const text = JSON.stringify(event);
    expect(await inPieces(writer, text, 2)).to.equal(200);
    expect(await writer.storedEvent(event.event_id)).to.include({ args: event.args });
    expect(await inPieces(writer, text, 1)).to.equal(400);
  });

  it("may not be decompressed from more than 10 MiB", async () => {
    const writer = await createWriter();
    // Empty blocks of deflate.
    const nothing = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: 2_200_000 }, () => EMPTY_BLOCK)]);
    expect(await inPieces(writer, nothing, 65_536, { "Content-Encoding": "deflate" })).to.equal(413);
  });
});

const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** Sends an event in chunks of a given size. Returns the status. */
const inPieces = (
  { url, key }: IngestWriter,
  body: string | Buffer,
  bytes: number,
  more: Record<string, string> = {},
) =>
  new Promise((resolve, reject) => {
    const headers = { "x-api-key": key, "Content-Type": "application/json", "Transfer-Encoding": "chunked", ...more };
    const sent = request(`${url}/api/v1/capture-event`, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
      response.once("end", () => sent.destroy());
    });
    sent.on("error", reject);
    for (let at = 0; at < body.length; at += bytes) sent.write(body.slice(at, at + bytes));
    sent.end();
  });
