import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { decryptSecret } from "../../server/auth/secret.ts";
import {
  createOrganization,
  type GraphQLReply,
  type RestReply,
  startSharedServer,
  type Tenant,
} from "../support/server.ts";

const target = "https://receiver.example.com/hook";
type Made = { id: string; secret: string };

describe("webhooks over REST", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await createOrganization();
  });
  const create = async (body: object = {}) =>
    (await tenant.rest("POST", "/api/webhooks", { target, ...body })).body as unknown as Made;

  const rested = ({ status, body }: RestReply) => [
    status,
    ...(/contain a user name/.test(`${body["error"]}`) ? ["no name"] : []),
  ];
  const told = ({ errors }: GraphQLReply) => {
    const { statusCode, code, validationErrors } = errors?.[0]?.extensions ?? {};
    if (errors) expect([code, validationErrors?.[0].path]).to.deep.equal(["INVALID_INPUT", "input.url"]);
    return errors ? [statusCode, ...(/contain a user name/.test(`${errors[0]?.message}`) ? ["no name"] : [])] : [200];
  };

  it("are registered with a secret that is shown once", async () => {
    const made = await create({ label: "CI" });
    expect(made).to.include({ target, label: "CI", teamId: null, enabled: true });
    expect(made.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(JSON.stringify((await tenant.rest("GET", "/api/webhooks")).body)).not.to.contain(made.secret);
  });

  it("accept only a secret of the same form", async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    expect((await create({ secret })).secret).to.equal(secret);
    const reply = await tenant.rest("POST", "/api/webhooks", { target, secret: "tooshort" });
    expect([reply.status, (reply.body["issues"] as { path: string }[])[0]?.path]).to.deep.equal([400, "secret"]);
  });

  it("refuse a target that is no http URL", async () => {
    const targets = ["ftp://example.com", "javascript:alert(1)", "nowhere", `https://x/${"y".repeat(3000)}`];
    const replies = await Promise.all(targets.map((url) => tenant.rest("POST", "/api/webhooks", { target: url })));
    expect(replies.map(({ status }) => status)).to.deep.equal([400, 400, 400, 400]);
  });

  it("refuse a target with credentials in the URL, over REST and GraphQL", async () => {
    const made = await create();
    const gql = (field: string) => (input: object) => tenant.graphql(`mutation ($input: Webhook${field} }`, { input });
    const apis: Record<string, (url: string) => Promise<unknown[]>> = {
      "POST /api/webhooks": async (url) => rested(await tenant.rest("POST", "/api/webhooks", { target: url })),
      "PATCH /api/webhooks": async (url) =>
        rested(await tenant.rest("PATCH", `/api/webhooks/${made.id}`, { target: url })),
      webhookCreate: async (url) =>
        told(await gql("CreateInput!) { webhookCreate(input: $input) { success }")({ url, resourceTypes: [] })),
      webhookUpdate: async (url) =>
        told(await gql(`UpdateInput!) { webhookUpdate(id: "${made.id}", input: $input) { success }`)({ url })),
    };
    for (const [api, post] of Object.entries(apis)) {
      for (const who of ["me:pass", "me", ":pass", "me:", "m%40e:p%20w", "a@b:c"]) {
        for (const scheme of ["https://", "http://", "HTTPS:\\\\", "https:"]) {
          expect([api, who, ...(await post(`${scheme}${who}@example.com/hook`))]).to.deep.equal([
            api,
            who,
            400,
            "no name",
          ]);
        }
      }
      expect(await post(`${new URL(target).origin}/@me:pass@x?a=b:c@d#e@f`)).to.not.include(400);
    }
    const listed = JSON.stringify((await tenant.rest("GET", "/api/webhooks")).body);
    expect(listed).to.not.match(/pass@example/);
  });

  it("refuse an unknown type or team", async () => {
    const type = await tenant.rest("POST", "/api/webhooks", { target, resourceTypes: ["Isue"] });
    const team = await tenant.rest("POST", "/api/webhooks", { target, teamId: uuidv7() });
    expect([type.status, team.status, team.body["field"]]).to.deep.equal([400, 400, "teamId"]);
  });

  it("update the sent fields and keep the others", async () => {
    const made = await create({ label: "CI", resourceTypes: ["Issue"] });
    const { body } = await tenant.rest("PATCH", `/api/webhooks/${made.id}`, { enabled: false });
    expect(body).to.deep.include({ id: made.id, label: "CI", resourceTypes: ["Issue"], enabled: false });
  });

  it("keep the old secret beside a new secret for a day, encrypted", async () => {
    const made = await create();
    const { body } = await tenant.rest("POST", `/api/webhooks/${made.id}/rotate-secret`);
    const { db, secret } = (await startSharedServer()).runtime;
    const [row] = await db.query<Record<string, Buffer>>({
      text: `select "secretEncrypted" as now, "previousSecretEncrypted" as before from webhook where id = $1`,
      values: [made.id],
    });
    const opened = [row?.["now"], row?.["before"]].map((sealed) =>
      decryptSecret(secret, made.id, sealed ?? Buffer.alloc(0)),
    );
    expect(opened).to.deep.equal([body["secret"], made.secret]);
    expect(row?.["now"]?.toString("latin1")).not.to.contain(body["secret"]);
  });

  it("are not found once deleted, nor ever by another organization", async () => {
    const other = await createOrganization();
    const made = await create();
    expect((await other.rest("DELETE", `/api/webhooks/${made.id}`)).status).to.equal(404);
    expect((await tenant.rest("DELETE", `/api/webhooks/${made.id}`)).status).to.equal(200);
    expect((await tenant.rest("GET", `/api/webhooks/${made.id}/deliveries`)).status).to.equal(404);
  });

  it("list deliveries page by page, each once", async () => {
    const made = await create();
    const { teamCreate } = await tenant.gql(`mutation { teamCreate(input: { name: "T" }) { team { id } } }`);
    expect(teamCreate.team.id).to.be.a("string");
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await tenant.rest(
        "GET",
        `/api/webhooks/${made.id}/deliveries?limit=3${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...(body["deliveries"] as { id: string }[]).map(({ id }) => id));
      if (!body["next_cursor"]) break;
      cursor = String(body["next_cursor"]);
    }
    expect([seen.length, new Set(seen).size]).to.deep.equal([7, 7]);
  });

  it("resend a delivery, or the deliveries of a range of time", async () => {
    const made = await create();
    await tenant.gql(`mutation { teamCreate(input: { name: "U" }) { success } }`);
    const { db } = (await startSharedServer()).runtime;
    await db.query({ text: `update delivery set status = 'failed' where "targetId" = $1`, values: [made.id] });
    const { body } = await tenant.rest("GET", `/api/webhooks/${made.id}/deliveries`);
    const [{ id } = { id: "" }] = body["deliveries"] as { id: string }[];
    const one = await tenant.rest("POST", `/api/webhooks/${made.id}/deliveries/${id}/redeliver`);
    const range = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) };
    const rest = await tenant.rest("POST", `/api/webhooks/${made.id}/redeliver`, range);
    expect([one.status, one.body, rest.status, rest.body]).to.deep.equal([202, { count: 1 }, 202, { count: 6 }]);
  });

  it("must be enabled before a resend, and the error says so", async () => {
    const made = await create();
    await tenant.rest("PATCH", `/api/webhooks/${made.id}`, { enabled: false });
    const range = { from: new Date(0), to: new Date() };
    const reply = await tenant.rest("POST", `/api/webhooks/${made.id}/redeliver`, range);
    expect([reply.status, reply.body["code"]]).to.deep.equal([409, "webhook_disabled"]);
  });
});
