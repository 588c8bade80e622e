import { randomBytes, randomUUID } from "node:crypto";
import { expect } from "chai";
import { retryAfter } from "../../server/ingest/request/retry-after.ts";
import { tokenBucket } from "../../server/ingest/request/token-bucket.ts";
import { anEvent, anotherInstance, freshWriter, withStalledStore } from "../support/recording/ingest.ts";
import { type Reply, sharedServer } from "../support/server.ts";

const statuses = (replies: Reply[]) => replies.map(({ status }) => status);
const retryAfters = (replies: Reply[]) => replies.map(({ headers }) => Number(headers.get("retry-after")));

/** An instance with other settings. */
async function instanceWith(settings: object) {
  const { runtime } = await sharedServer();
  return anotherInstance({}, { config: { ...runtime.config, ...settings } });
}

const aSpan = () => ({
  traceId: randomBytes(16).toString("hex"),
  spanId: randomBytes(8).toString("hex"),
  name: "chat",
  startTimeUnixNano: `${Date.now()}000000`,
  endTimeUnixNano: `${Date.now()}000000`,
});

describe("ingestion limits", () => {
  it("let a burst of twice the rate through, then answer 429 with Retry-After, per key", async () => {
    const instance = await instanceWith({ INGEST_RATE_REQUESTS: 3 });
    const [one, two] = [await freshWriter(instance), await freshWriter(instance)];
    const began = performance.now();
    const replies = await Promise.all(Array.from({ length: 40 }, () => one.event(anEvent())));
    const refilled = Math.ceil((3 * (performance.now() - began)) / 1_000);
    const refused = replies.filter(({ status }) => status === 429);
    expect(replies.length - refused.length).to.be.within(6, 6 + refilled);
    expect([refused[0]?.body["code"], retryAfters(refused)[0]]).to.deep.equal(["rate_limited", 1]);
    expect((await two.event(anEvent())).status).to.equal(200);
    await instance.close();
  });

  it("count events, whatever batches they come in", async () => {
    const instance = await instanceWith({ INGEST_RATE_EVENTS: 100 });
    const writer = await freshWriter(instance);
    const batch = () => writer.events(Array.from({ length: 300 }, () => anEvent()));
    const replies = [await batch(), await batch()];
    expect(statuses(replies)).to.deep.equal([202, 429]);
    expect(retryAfters(replies)[1]).to.be.within(1, 2);
    expect(await writer.count()).to.equal(300);
    await instance.close();
  });

  it("count what a body tells before it is recorded, at every door: of many at once only those are taken that find some left", async () => {
    const RATE = 100;
    const instance = await instanceWith({ INGEST_RATE_EVENTS: RATE, INGEST_RATE_REQUESTS: 0 });
    const tool_calls = Array.from({ length: RATE }, (_, n) => ({ tool_use_id: `t${n}`, tool_name: "Bash" }));
    const doors: [path: string, body: () => unknown][] = [
      ["/api/v1/capture-events", () => ({ events: Array.from({ length: RATE }, () => anEvent()) })],
      ["/api/v1/hooks/claude-code", () => ({ session_id: randomUUID(), hook_event_name: "PostToolBatch", tool_calls })],
      ["/v1/traces", () => ({ resourceSpans: [{ scopeSpans: [{ spans: Array.from({ length: RATE }, aSpan) }] }] })],
    ];
    for (const [path, body] of doors) {
      const writer = await freshWriter(instance);
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

  it("bound what one hook tells, with words that say what to do", async () => {
    const writer = await freshWriter();
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
    const writer = await freshWriter(instance);
    const replies = await Promise.all(Array.from({ length: 50 }, () => writer.event(anEvent())));
    expect(new Set(statuses(replies))).to.deep.equal(new Set([200]));
    await instance.close();
  });

  it("refill continuously and never hold more than the burst", () => {
    let now = 0;
    const rate = tokenBucket(10, 20, "ingest-requests", () => now);
    rate.take("k", 25);
    expect(rate.wait("k")).to.equal(1);
    now += 600;
    expect(rate.wait("k")).to.equal(0);
    now += 3_600_000;
    rate.take("k", 20);
    expect(rate.wait("k")).to.equal(1);
  });

  it("ask for a retry after 1 s at first, after up to 30 s while trouble lasts, and after 1 s again when it is over", () => {
    let now = 0;
    const wait = retryAfter(() => now);
    const asked = [0, 10, 30, 100].map((seconds) => {
      now = seconds * 1_000;
      return wait.seconds();
    });
    wait.succeeded();
    expect([...asked, wait.seconds()]).to.deep.equal([1, 5, 15, 30, 1]);
  });

  it("answer 503 with Retry-After when bodies take all memory set aside for them", async () => {
    const instance = await anotherInstance({ maxInFlight: 10_000 });
    const writer = await freshWriter(instance);
    const reply = await writer.event(anEvent({ args: "x".repeat(20_000) }));
    expect([reply.status, reply.body["code"], ...retryAfters([reply])]).to.deep.equal([503, "unavailable", 1]);
    expect((await writer.event(anEvent())).status).to.equal(200);
    await instance.close();
  });

  it("answer 503 with Retry-After when too many wait for a commit; the others are stored", async () => {
    const instance = await anotherInstance({ maxWaiting: 3 });
    const writer = await freshWriter(instance);
    expect((await writer.event(anEvent())).status).to.equal(200);
    let replies: Promise<Reply[]> = Promise.resolve([]);
    await withStalledStore(async () => {
      const sent = Array.from({ length: 20 }, () => writer.event(anEvent()));
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

  it("answer 503 when a commit does not come in time, and keep nothing of it", async () => {
    const instance = await anotherInstance({ maxWaitMs: 200 });
    const writer = await freshWriter(instance);
    await writer.event(anEvent());
    await withStalledStore(async () => {
      const replies = await Promise.all(Array.from({ length: 5 }, () => writer.event(anEvent())));
      expect(new Set(statuses(replies))).to.deep.equal(new Set([503]));
    });
    expect(await writer.count()).to.equal(1);
    await instance.close();
  });

  it("answer 503 once the server is stopping", async () => {
    const instance = await anotherInstance({}, { stopping: AbortSignal.abort() });
    const writer = await freshWriter(instance);
    const reply = await writer.event(anEvent());
    expect([reply.status, ...retryAfters([reply])]).to.deep.equal([503, 1]);
    await instance.close();
  });
});
