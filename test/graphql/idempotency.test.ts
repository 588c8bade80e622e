import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { emptyTrash } from "../../server/jobs/trash.ts";
import { sendGraphQL, startSharedServer } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const CREATE =
  'mutation ($title: String!) { made: issueCreate(input: { teamId: "ENG", title: $title }) { lastSyncId issue { id } } }';
const send = (space: Workspace, key: string, title: string, query = CREATE) =>
  sendGraphQL(space.url, space.apiKey, { query, variables: { title } }, { "Idempotency-Key": key });

describe("client ids", () => {
  it("make a repeated creation return the same entity, for every kind of entity", async () => {
    const { does, last } = await createWorkspace();
    const named = { name: "x", color: "#000000" };
    const inputs: Record<string, object> = {
      teamCreate: { name: "Second" },
      issueCreate: { teamId: "ENG", title: "x" },
      commentCreate: { issueId: "ENG-1", body: "x" },
      projectCreate: { name: "x", teamIds: ["ENG"] },
      projectStatusCreate: { ...named, type: "paused", position: 1 },
      cycleCreate: { teamId: "ENG", startsAt: "2026-01-01T00:00:00Z", endsAt: "2026-01-02T00:00:00Z" },
      workflowStateCreate: { ...named, teamId: "ENG", type: "started" },
      issueLabelCreate: { name: "x" },
      webhookCreate: { url: "https://example.com/", resourceTypes: [] },
    };
    for (const [mutation, input] of Object.entries(inputs)) {
      const id = randomUUID();
      const first = await does(mutation, { input: { ...input, id } });
      const again = await does(mutation, { input: { ...input, id: id.toUpperCase() } });
      expect([mutation, again.lastSyncId, await last()]).to.deep.equal([mutation, first.lastSyncId, first.lastSyncId]);
    }
  });

  it("refuse a different input, and an id that is in use", async () => {
    const { refuses, issue, teamId } = await createWorkspace();
    const id = randomUUID();
    await issue({ id, title: "first" });
    for (const taken of [id, (await issue()).id]) {
      const refusal = await refuses("issueCreate", { input: { id: taken, teamId, title: "other" } });
      expect(refusal).to.include({ code: "CONFLICT", field: "id" });
    }
  });

  it("create one entity in ten concurrent creations", async () => {
    const { issue } = await createWorkspace();
    const id = randomUUID();
    const made = await Promise.all(Array.from({ length: 10 }, () => issue({ id })));
    expect(new Set(made.map(({ identifier }) => identifier))).to.deep.equal(new Set(["ENG-1"]));
  });

  it("work within a batch", async () => {
    const { does, issue } = await createWorkspace();
    const issues = [randomUUID(), randomUUID()].map((id) => ({ id, teamId: "ENG", title: "x" }));
    const batch = async () => (await does("issueBatchCreate", { input: { issues } }, "issues { identifier }")).issues;
    expect(await batch()).to.deep.equal(await batch());
    expect((await issue()).identifier).to.equal("ENG-3");
  });
});

describe("Idempotency-Key", () => {
  it("runs a repeated mutation once, per key and response key", async () => {
    const space = await createWorkspace();
    const replies = await Promise.all(Array.from({ length: 8 }, () => send(space, "key", "x")));
    const answers = new Set(replies.map(({ data }) => JSON.stringify(data)));
    expect(answers.size).to.equal(1);
    const other = await send(space, "key", "x", CREATE.replace("made:", "other:"));
    expect(other.data.other.issue.id).to.not.equal(replies[0]?.data.made.issue.id);
  });

  it("refuses a different input with the same key", async () => {
    const space = await createWorkspace();
    await send(space, "key", "x");
    const { errors } = await send(space, "key", "y");
    expect(errors?.[0]?.extensions).to.include({ code: "CONFLICT", field: "Idempotency-Key" });
    expect(await send(space, "other key", "y")).to.not.have.property("errors");
  });

  it("that contains a secret is stored as a digest, and matches the plain key that 0.2.0 stored", async () => {
    const space = await createWorkspace();
    const key = `deploy with ghp_${"0123456789abcdefghijklmnopqrstuvwxyz"}`;
    const first = await send(space, key, "x");
    const { db } = (await startSharedServer()).runtime;
    const values = [space.organizationId];
    const [row] = await db.query<{ key: string }>({
      text: `select key from idempotency where "organizationId" = $1`,
      values,
    });
    expect(row?.key).to.match(/^digest [\w-]{43}$/);
    expect((await send(space, key, "x")).data).to.deep.equal(first.data);
    await db.query({ text: `update idempotency set key = $2 where "organizationId" = $1`, values: [...values, key] });
    expect((await send(space, key, "x")).data).to.deep.equal(first.data);
    expect((await send(space, key, "y")).errors?.[0]?.extensions).to.include({ code: "CONFLICT" });
  });

  it("stores nothing of a failed mutation", async () => {
    const space = await createWorkspace();
    expect((await send(space, "key", "")).errors).to.have.length(1);
    expect((await send(space, "key", "fine")).data.made.issue.id).to.be.a("string");
  });

  it("returns a new secret again in the repeated response", async () => {
    const space = await createWorkspace();
    const query = `mutation { made: webhookCreate(input: { url: "https://example.com/", resourceTypes: [] }) { webhook { id secret } } }`;
    const [one, two] = [await send(space, "key", "", query), await send(space, "key", "", query)];
    expect(two.data).to.deep.equal(one.data);
    expect(one.data.made.webhook.secret).to.match(/^whsec_/);
  });

  it("expires after a day, and is limited in length", async () => {
    const space = await createWorkspace();
    const first = await send(space, "key", "x");
    await emptyTrash((await startSharedServer()).runtime, Date.now() + 25 * 60 * 60 * 1000);
    expect((await send(space, "key", "x")).data.made.issue.id).to.not.equal(first.data.made.issue.id);
    expect((await send(space, "k".repeat(256), "x")).errors?.[0]?.extensions.code).to.equal("INPUT_ERROR");
  });
});
