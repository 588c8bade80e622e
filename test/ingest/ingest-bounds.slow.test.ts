import { request } from "node:http";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { isDeeper } from "../../formats/json.ts";
import { AppError } from "../../server/errors.ts";
import {
  type Capture,
  captureEvent,
  captureEvents,
  captureSession,
  type Endpoint,
} from "../../server/ingest/capture/endpoints.ts";
import { redaction } from "../../server/ingest/rules/redaction.ts";
import { scanEvents } from "../../server/ingest/scan/index.ts";
import { writer } from "../../server/ingest/tuple/index.ts";
import { DEFAULT_PRICES, pricesFor } from "../../server/prices/prices.ts";
import { scannerFor } from "../../server/scans/index.ts";
import { type Shape, shapes } from "../support/hostile/shapes.ts";
import { anEvent, freshWriter, type Writer } from "../support/recording/ingest.ts";
import { runs } from "../support/run/runs.ts";
import { toEnd } from "../support/to-end.ts";

/** Values a body may hold, and more than any body of 10 MiB does. */
const MOST = 65_536;
const ANY = 10_000_000;

const ENDPOINTS = new Map<string, Endpoint<Capture>>([
  ["capture-session", captureSession],
  ["capture-event", captureEvent],
  ["capture-events", captureEvents],
]);
const arrival = (bytes: number) => ({
  now: Date.now(),
  organizationId: uuidv7(),
  redaction: redaction(),
  scan: scannerFor(new Uint8Array(32), "an organization").quick(),
  prices: pricesFor(DEFAULT_PRICES),
  tuples: writer(bytes + 256),
});

/** Milliseconds of this process's CPU: what others do on the machine does not count. */
async function cpu(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Reads a body as its endpoint does, up to the answer. */
async function read(endpoint: string, body: Buffer): Promise<void> {
  try {
    const capture = await ENDPOINTS.get(endpoint)?.(body, arrival(body.length));
    const events = capture?.events.map(() => "stored" as const) ?? [];
    capture?.answer({ key: "valid", session: "stored", events });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** The least work of a server without bounds: parse it and walk it once. */
const readUnbounded = (body: Buffer): boolean => isDeeper(JSON.parse(body.toString()), 64);

/** The dearest of these shapes and what it costs. */
async function dearest(some: Shape[]): Promise<{ name: string; cost: number }> {
  let worst = { name: "", cost: 0 };
  for (const shape of some) {
    const body = shape.body();
    const cost = await cpu(() => read(shape.endpoint, body));
    if (cost > worst.cost) worst = { name: `${shape.endpoint}: ${shape.name}`, cost };
  }
  return worst;
}

/** Bodies that were dear once, and some of all others: each run takes other ones. */
const FOUND = /^(many members with short|keys with NUL|a list of lists)/;
const someOf = (all: Shape[]) => [
  ...all.filter(({ name }) => FOUND.test(name)).slice(0, 9),
  ...fc.sample(fc.constantFrom(...all), runs(12)),
];

/** Metadata of so many values, the object itself not among them. */
const metadata = (values: number) => Object.fromEntries(Array.from({ length: values }, (_, index) => [`k${index}`, 1]));

describe("an ingestion body of 10 MiB", () => {
  it("costs no more than a second of CPU, whatever its shape; without bounds some cost far more", async function () {
    this.timeout(300_000);
    const worst = [await dearest(someOf(shapes(MOST - 500))), await dearest(someOf(shapes(ANY)))];
    for (const { name, cost } of worst) expect(cost, name).to.be.below(1_000);

    const found = shapes(ANY)
      .find(({ name }) => name.startsWith("many members with short"))
      ?.body();
    const unbounded = await cpu(() => found && readUnbounded(found));
    expect(unbounded).to.be.greaterThan(2 * Math.max(...worst.map(({ cost }) => cost)));
  });

  it("with more than 65,536 values is refused before a row is processed, with the field that holds them", async () => {
    const writer = await freshWriter();
    const many = metadata(MOST);
    const replies = [
      await writer.session({ session_id: uuidv7(), user_data: { user_id: "u", ...many } }),
      await writer.session({ session_id: uuidv7(), user_data: { user_id: "u" }, metadata: many }),
      await writer.event(anEvent({ metadata: many })),
      await writer.events([anEvent(), anEvent({ metadata: many })]),
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
    it(`is refused as well when it comes as ${name}, and harms nobody`, async () => {
      const writer = await freshWriter();
      const body = pack(JSON.stringify({ events: [anEvent({ metadata: metadata(100_000) })] }));
      const [reply, other] = await Promise.all([
        writer.raw("capture-events", body, { "Content-Encoding": name }),
        writer.event(anEvent()),
      ]);
      expect([reply.status, reply.body["code"], other.status]).to.deep.equal([400, "too_many_values", 200]);
      expect(await writer.count()).to.equal(1);
    });
  }

  it("is counted alike by the byte scanner and after JSON.parse", async () => {
    const batch = (junk: unknown) => Buffer.from(JSON.stringify({ events: [anEvent({ junk })] }));
    const frame = 1 + 1 + 1 + 5 + 1; // the body, its list, the row, five fields, the list in the sixth
    const take = (body: Buffer) => toEnd(scanEvents(body, arrival(body.length))) !== undefined;
    const parse = async (body: Buffer) => {
      try {
        return (await captureEvents(Buffer.from(odd(body.toString())), arrival(body.length))).sent === 1;
      } catch {
        return false;
      }
    };
    // An escaped name is not for the fast way, and the same name for the careful one.
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
      { numRuns: runs(30) },
    );
  });

  it("may come in 65,536 chunks, but not in more", async () => {
    const writer = await freshWriter();
    const event = anEvent({ args: "x".repeat(70_000) });
    const text = JSON.stringify(event);
    expect(await inPieces(writer, text, 2)).to.equal(200);
    expect(await writer.storedEvent(event.event_id)).to.include({ args: event.args });
    expect(await inPieces(writer, text, 1)).to.equal(400);
  });

  it("may not be decompressed from more than 10 MiB", async () => {
    const writer = await freshWriter();
    // Blocks of deflate that hold nothing.
    const nothing = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: 2_200_000 }, () => EMPTY_BLOCK)]);
    expect(await inPieces(writer, nothing, 65_536, { "Content-Encoding": "deflate" })).to.equal(413);
  });
});

const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** Sends an event in chunks of so many bytes and answers the status. */
const inPieces = ({ url, key }: Writer, body: string | Buffer, bytes: number, more: Record<string, string> = {}) =>
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
