import { expect } from "chai";
import { createEvent, createSession, createWriter, sendRaw } from "../support/recording/ingest.ts";
import { callRestApi } from "../support/server.ts";

describe("ingestion endpoints", () => {
  it("respond to a session with 200, ok and its id", async () => {
    const writer = await createWriter();
    const session = createSession();
    const reply = await writer.session(session);
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal({ status: "ok", session_id: session.session_id });
  });

  it("respond to an event with 200, ok and its id", async () => {
    const writer = await createWriter();
    const event = createEvent();
    const reply = await writer.event(event);
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal({ status: "ok", event_id: event.event_id });
  });

  it("respond to a batch with 202, a result per row in order, totals and their headers", async () => {
    const writer = await createWriter();
    const events = [createEvent(), createEvent({ session_id: undefined }), createEvent()];
    const { status, headers, body } = await writer.events(events);
    const [one, two, three] = events.map(({ event_id }, index) => ({
      index,
      event_id,
      status: "accepted",
      reason: "",
    }));
    expect(status).to.equal(202);
    expect(body).to.deep.equal({
      accepted: 2,
      rejected: 1,
      results: [one, { ...two, status: "rejected", reason: "session_id is required" }, three],
    });
    expect([headers.get("x-ingest-accepted"), headers.get("x-ingest-rejected")]).to.deep.equal(["2", "1"]);
  });

  it("accept an empty batch and a batch of 500 rows", async () => {
    const writer = await createWriter();
    const empty = await writer.events([]);
    expect([empty.status, empty.body]).to.deep.equal([202, { accepted: 0, rejected: 0, results: [] }]);
    const full = await writer.events(Array.from({ length: 500 }, () => createEvent()));
    expect([full.status, full.body["accepted"], await writer.count()]).to.deep.equal([202, 500, 500]);
  });

  it("refuse a batch of 501 rows as a whole, with the limit", async () => {
    const writer = await createWriter();
    const { status, body } = await writer.events(Array.from({ length: 501 }, () => createEvent()));
    expect([status, body["code"], body["field"], body["limit"]]).to.deep.equal([400, "too_many_events", "events", 500]);
    expect(await writer.count()).to.equal(0);
  });

  for (const events of [undefined, null, {}, "[]", 3]) {
    it(`refuse events: ${JSON.stringify(events)}`, async () => {
      const writer = await createWriter();
      const { status, body } = await writer.raw("capture-events", JSON.stringify({ events }));
      expect([status, body["code"], body["field"]]).to.deep.equal([400, "invalid_body", "events"]);
    });
  }

  it("respond with 202 when every row is rejected", async () => {
    const writer = await createWriter();
    const { status, body } = await writer.events([{}, null, 7, [], "row"]);
    expect([status, body["accepted"], body["rejected"]]).to.deep.equal([202, 0, 5]);
  });

  it("return an id as sent, or an empty string", async () => {
    const writer = await createWriter();
    const event = createEvent();
    const upper = event.event_id.toUpperCase();
    const { results } = await writer.events([
      { ...event, event_id: upper },
      { event_id: "no uuid" },
      { event_id: 5 },
      1,
    ]);
    expect(results.map(({ event_id }) => event_id)).to.deep.equal([upper, "no uuid", "", ""]);
  });

  it("show accepted rows to the next read", async () => {
    const writer = await createWriter();
    const event = createEvent();
    await writer.events([event]);
    expect(await writer.storedEvent(event.event_id)).to.include({ args: event.args, result: event.result });
  });

  it("ignore unknown fields and do not store them", async () => {
    const writer = await createWriter();
    const event = createEvent({ colour: "red", organization_id: "00000000-0000-0000-0000-000000000000" });
    expect((await writer.event(event)).status).to.equal(200);
    expect(await writer.storedEvent(event.event_id)).to.include({ organization_id: writer.organizationId });
  });

  it("respond with 404 for other paths under /api/v1/", async () => {
    const { url, key } = await createWriter();
    for (const path of ["", "captures", "capture-event/", "capture-events/x"]) {
      const { status, body } = await sendRaw(`${url}/api/v1/${path}`, "{}", { "x-api-key": key });
      expect([status, body["code"]]).to.deep.equal([404, "not_found"]);
    }
  });

  it("respond with 405 and Allow for other methods, with and without a key", async () => {
    const { url, key } = await createWriter();
    for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const { status, headers, body } = await callRestApi(url, method, "/api/v1/capture-event", {
        headers: { "x-api-key": key },
      });
      expect([status, headers.get("allow"), body["code"]]).to.deep.equal([405, "POST", "method_not_allowed"]);
    }
    expect((await callRestApi(url, "GET", "/api/v1/capture-events")).status).to.equal(405);
  });

  it("send X-Request-Id with every response, equal to the id in an error's body", async () => {
    const writer = await createWriter();
    const fine = await writer.event(createEvent());
    const faulty = await writer.event({});
    expect(fine.headers.get("x-request-id")).to.match(/^[0-9a-f-]{36}$/);
    expect(faulty.body["request_id"]).to.equal(faulty.headers.get("x-request-id"));
  });

  it("name the invalid field on the single endpoints", async () => {
    const writer = await createWriter();
    const event = await writer.event(createEvent({ args: { q: 1 } }));
    const session = await writer.session({ session_id: createEvent().session_id, user_data: {} });
    expect([event.status, event.body["code"], event.body["field"]]).to.deep.equal([400, "invalid_event", "args"]);
    expect([session.status, session.body["code"]]).to.deep.equal([400, "invalid_session"]);
    expect(session.body["field"]).to.equal("user_data.user_id");
  });

  it("never repeat the body or the key in an error", async () => {
    const writer = await createWriter();
    const { body } = await writer.raw("capture-event", `{"args": "hunter2", ${writer.key}`);
    expect(JSON.stringify(body)).not.to.match(/hunter2|sk_/);
  });
});
