import { randomBytes, randomUUID } from "node:crypto";
import { expect } from "chai";
import { createRetryAfterBackoff } from "../../server/ingest/request/retry-after.ts";
import { createTokenBucket } from "../../server/ingest/request/token-bucket.ts";
import { createEvent, createWriter, startAnotherServer, whileCommitsStall } from "../support/recording/ingest.ts";
import { type RestReply, startSharedServer } from "../support/server.ts";

const statuses = (replies: RestReply[]) => replies.map(({ status }) => status);
const retryAfters = (replies: RestReply[]) => replies.map(({ headers }) => Number(headers.get("retry-after")));

/** Starts a server with other settings. */
async function instanceWith(settings: object) {
  const { runtime } = await startSharedServer();
  return startAnotherServer({}, { config: { ...runtime.config, ...settings } });
}

const aSpan = () => ({
  traceId: randomBytes(16).toString("hex"),
  spanId: randomBytes(8).toString("hex"),
  name: "chat",
  startTimeUnixNano: `${Date.now()}000000`,
  endTimeUnixNano: `${Date.now()}000000`,
});

describe("ingestion limits", () => {
  it("allow a burst of twice the rate, then respond with 429 and Retry-After, per key", async () => {
    const instance = await instanceWith({ INGEST_RATE_REQUESTS: 3 });
    const [one, two] = [await createWriter(instance), await createWriter(instance)];
    const began = performance.now();
    const replies = await Promise.all(Array.from({ length: 40 }, () => one.event(createEvent())));
    const refilled = Math.ceil((3 * (performance.now() - began)) / 1_000);
    const refused = replies.filter(({ status }) => status === 429);
    expect(replies.length - refused.length).to.be.within(6, 6 + refilled);
    expect([refused[0]?.body["code"], retryAfters(refused)[0]]).to.deep.equal(["rate_limited", 1]);
    expect((await two.event(createEvent())).status).to.equal(200);
    await instance.close();
  });

  it("count events, for any batches", async () => {
    const instance = await instanceWith({ INGEST_RATE_EVENTS: 100 });
    const writer = await createWriter(instance);
    const batch = () => writer.events(Array.from({ length: 300 }, () => createEvent()));
    const replies = [await batch(), await batch()];
    expect(statuses(replies)).to.deep.equal([202, 429]);
    expect(retryAfters(replies)[1]).to.be.within(1, 2);
    expect(await writer.count()).to.equal(300);
    await instance.close();
  });

  it("count a body's events before recording at every endpoint: of concurrent bodies only those within the limit pass", async () => {
    const RATE = 100;
    const instance = await instanceWith({ INGEST_RATE_EVENTS: RATE, INGEST_RATE_REQUESTS: 0 });
    const tool_calls = Array.from({ length: RATE }, (_, n) => ({ tool_use_id: `t${n}`, tool_name: "Bash" }));
    const doors: [path: string, body: () => unknown][] = [
      ["/api/v1/capture-events", () => ({ events: Array.from({ length: RATE }, () => createEvent()) })],
      ["/api/v1/hooks/claude-code", () => ({ session_id: randomUUID(), hook_event_name: "PostToolBatch", tool_calls })],
      ["/v1/traces", () => ({ resourceSpans: [{ scopeSpans: [{ spans: Array.from({ length: RATE }, aSpan) }] }] })],
    ];
    for (const [path, body] of doors) {
      const writer = await createWriter(instance);
      const began = performance.now();
      const answers = await Promise.all(
        Array.from({ length: 12 }, () =>
          fetch(instance.url + path, {
            method: "POST",
            headers: { "x-api-key": writer.key, "content-type": "application/json" },
            body: JSON.stringify(body()),
          }),
        ),
      );
      const refilled = Math.ceil((performance.now() - began) / 1_000);
      const taken = answers.filter(({ status }) => status < 300);
      const refused = answers.filter(({ status }) => status === 429);
      expect([path, taken.length + refused.length]).to.deep.equal([path, 12]);
      expect(taken.length, path).to.be.within(1, 1 + refilled);
      expect(refused.every(({ headers }) => Number(headers.get("retry-after")) > 0)).to.equal(true);
    }
    await instance.close();
  });

  it("limit the events of one hook, with a hint in the error", async () => {
    const writer = await createWriter();
    const post = async (calls: number) => {
      const tool_calls = Array.from({ length: calls }, (_, n) => ({ tool_use_id: `t${n}`, tool_name: "Bash" }));
      const body = JSON.stringify({ session_id: randomUUID(), hook_event_name: "PostToolBatch", tool_calls });
      const headers = { "x-api-key": writer.key, "content-type": "application/json" };
      return fetch(`${writer.url}/api/v1/hooks/claude-code`, { method: "POST", headers, body });
    };
    expect((await post(500)).status).to.equal(204);
    const answer = await post(501);
    const { code, field, limit } = (await answer.json()) as Record<string, unknown>;
    expect([answer.status, code, field, limit]).to.deep.equal([400, "too_many_events", "tool_calls", 500]);
    expect(await writer.count()).to.equal(500);
  });

  it("of 0 are switched off", async () => {
    const instance = await instanceWith({ INGEST_RATE_REQUESTS: 0, INGEST_RATE_EVENTS: 0 });
    const writer = await createWriter(instance);
    const replies = await Promise.all(Array.from({ length: 50 }, () => writer.event(createEvent())));
    expect(new Set(statuses(replies))).to.deep.equal(new Set([200]));
    await instance.close();
  });

  it("refill continuously and never exceed the burst", () => {
    let now = 0;
    const rate = createTokenBucket(10, 20, "ingest-requests", () => now);
    rate.take("k", 25);
    expect(rate.wait("k")).to.equal(1);
    now += 600;
    expect(rate.wait("k")).to.equal(0);
    now += 3_600_000;
    rate.take("k", 20);
    expect(rate.wait("k")).to.equal(1);
  });

  it("ask for a retry after 1 s, up to 30 s while overload lasts, and 1 s again afterwards", () => {
    let now = 0;
    const wait = createRetryAfterBackoff(() => now);
    const asked = [0, 10, 30, 100].map((seconds) => {
      now = seconds * 1_000;
      return wait.seconds();
    });
    wait.succeeded();
    expect([...asked, wait.seconds()]).to.deep.equal([1, 5, 15, 30, 1]);
  });

  it("respond with 503 and Retry-After when bodies use all the reserved memory", async () => {
    const instance = await startAnotherServer({ maxInFlight: 10_000 });
    const writer = await createWriter(instance);
    const reply = await writer.event(createEvent({ args: "x".repeat(20_000) }));
    expect([reply.status, reply.body["code"], ...retryAfters([reply])]).to.deep.equal([503, "unavailable", 1]);
    expect((await writer.event(createEvent())).status).to.equal(200);
    await instance.close();
  });

  it("respond with 503 and Retry-After when too many requests wait for a commit, and store the others", async () => {
    const instance = await startAnotherServer({ maxWaiting: 3 });
    const writer = await createWriter(instance);
    expect((await writer.event(createEvent())).status).to.equal(200);
    let replies: Promise<RestReply[]> = Promise.resolve([]);
    await whileCommitsStall(async () => {
      const sent = Array.from({ length: 20 }, () => writer.event(createEvent()));
      replies = Promise.all(sent);
      await Promise.race(sent);
    });
    const answered = await replies;
    const stored = answered.filter(({ status }) => status === 200).length;
    const refused = answered.filter(({ status }) => status === 503);
    expect([refused.length > 0, stored + refused.length, await writer.count()]).to.deep.equal([true, 20, stored + 1]);
    expect(Math.min(...retryAfters(refused))).to.be.at.least(1);
    await instance.close();
  });

  it("respond with 503 when a commit takes too long, and store nothing of it", async () => {
    const instance = await startAnotherServer({ maxWaitMs: 200 });
    const writer = await createWriter(instance);
    await writer.event(createEvent());
    await whileCommitsStall(async () => {
      const replies = await Promise.all(Array.from({ length: 5 }, () => writer.event(createEvent())));
      expect(new Set(statuses(replies))).to.deep.equal(new Set([503]));
    });
    expect(await writer.count()).to.equal(1);
    await instance.close();
  });

  it("respond with 503 while the server stops", async () => {
    const instance = await startAnotherServer({}, { stopping: AbortSignal.abort() });
    const writer = await createWriter(instance);
    const reply = await writer.event(createEvent());
    expect([reply.status, ...retryAfters([reply])]).to.deep.equal([503, 1]);
    await instance.close();
  });
});
