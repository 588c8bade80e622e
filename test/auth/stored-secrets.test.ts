import { expect } from "chai";
import { resolveClientSecret, saveProvider } from "../../server/accounts/oidc/provider.ts";
import { createOrganization, startSharedServer, type Tenant } from "../support/server.ts";
import { createRule, SIGNING_SECRET } from "../support/stream/notices.ts";
import { closeReceivers, startReceiver } from "../support/stream/receiver.ts";
import { registerWebhook } from "../support/stream/webhooks.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const OTHER = { secret: `whsec_${Buffer.alloc(32, 9).toString("base64")}` };
/** Addresses of the same server, and addresses with a different scheme, host or port. */
const SAME = ["https://a.example/other", "https://A.example:443/x?y=1"];
const OTHERS = ["http://a.example/topic", "https://b.example/topic", "https://a.example:8443/topic"];

/**
 * A feature that stores a secret for an address. `change` changes the address, with or without sending the secret
 * again.
 */
interface Kept {
  name: string;
  same: unknown[];
  others: unknown[];
  /** Returns true if the server accepted the change. */
  change(place: any, again?: object): Promise<boolean>;
}

describe("the stored secret of a webhook or similar target", () => {
  let tenant: Tenant;
  let space: Workspace;
  before(async () => {
    tenant = await createOrganization();
    space = await createWorkspaceIn(tenant);
  });
  after(closeReceivers);

  const taken = ({ errors }: { errors?: any[] }, member = "secret") => {
    if (errors) expect(errors[0].message).to.contain(`${member} is required again`);
    return !errors;
  };
  async function rule(channel: string, secret: string): Promise<Kept> {
    const id = await createRule(space, { condition: "leaseExpired", channel, url: "https://a.example/topic", secret });
    const query =
      "mutation ($id: String!, $input: NoticeRuleUpdateInput!) { noticeRuleUpdate(id: $id, input: $input) { success } }";
    const same = channel === "ntfy" ? ["https://A.example:443/other"] : SAME;
    const change = async (url: string, again = {}) =>
      taken(await space.graphql(query, { id, input: { url, ...again } }));
    return { name: channel, same, others: OTHERS, change };
  }
  async function hook(over: "rest" | "graphql"): Promise<Kept> {
    const { id } = await registerWebhook(tenant, { url: "https://a.example/hook" });
    const query =
      "mutation ($id: String!, $input: WebhookUpdateInput!) { webhookUpdate(id: $id, input: $input) { success } }";
    const change = async (url: string, again = {}) => {
      if (over === "graphql") return taken(await space.graphql(query, { id, input: { url, ...again } }));
      const { status, body } = await tenant.rest("PATCH", `/api/webhooks/${id}`, { target: url, ...again });
      return taken(status === 200 ? {} : { errors: [{ message: body["error"] }] });
    };
    return { name: `webhook over ${over}`, same: SAME, others: OTHERS, change };
  }
  async function mail(): Promise<Kept> {
    const server = { host: "a.example", port: 587, security: "tls", username: "u" };
    const save = (more: object) =>
      tenant.rest("PATCH", "/api/mail-server", { ...server, from: "Trackway <notices@example.com>", ...more });
    await save({ password: "p" });
    const change = async (place: object, again?: object) => {
      const { status, body } = await save({ ...place, ...(again && { password: "q" }) });
      return taken(status === 200 ? {} : { errors: [{ message: body["error"] }] }, "password");
    };
    const others = [{ host: "b.example" }, { port: 25 }, { security: "none" }, { username: "v" }];
    return { name: "mail server", same: [{}, { from: "x@example.com" }], others, change };
  }
  async function provider(): Promise<Kept> {
    const { runtime } = await startSharedServer();
    const { organization, viewer } = await space.gql("{ organization { id } viewer { id } }");
    const owner = { organizationId: organization.id, userId: viewer.id };
    const stored = {
      issuer: "https://a.example",
      clientId: "c",
      domains: ["a.example"],
      groupsClaim: "g",
      groupRoles: [],
      required: false,
    };
    await saveProvider(runtime, owner, stored, "s");
    const change = async (place: object, again?: object) => {
      const input = { ...stored, ...place, ...(again && { clientSecret: "t" }) };
      const secret = await resolveClientSecret(runtime, owner, input).catch((error: Error) => {
        expect(error.message).to.contain("clientSecret is required again");
      });
      if (secret) await saveProvider(runtime, owner, input, secret);
      return secret !== undefined;
    };
    const others = [{ issuer: "https://b.example" }, { issuer: "https://a.example:8443" }, { clientId: "d" }];
    return { name: "OpenID provider", same: [{ domains: ["b.example"] }], others, change };
  }

  it("must be sent again when the target's server changes, and is kept otherwise", async () => {
    const all = [
      await rule("ntfy", "tk_1"),
      await rule("webhook", SIGNING_SECRET),
      await hook("rest"),
      await hook("graphql"),
    ];
    all.push(await mail(), await provider());
    for (const { name, same, others, change } of all) {
      for (const place of same) expect([name, place, await change(place)]).to.deep.equal([name, place, true]);
      for (const place of others) expect([name, place, await change(place)]).to.deep.equal([name, place, false]);
      for (const place of others) expect([name, place, await change(place, OTHER)]).to.deep.equal([name, place, true]);
    }
  });

  it("never reaches another receiver, and the old secret signs nothing there", async () => {
    const [first, second] = [await startReceiver(), await startReceiver()];
    const url = ({ url: base }: { url: string }) => `${base.replace(/\/*$/, "")}/topic`;
    const id = await createRule(space, {
      condition: "leaseExpired",
      channel: "ntfy",
      url: url(first),
      secret: "tk_first",
    });
    const update = (input: object) => space.does("noticeRuleUpdate", { id, input }).catch(() => undefined);
    await update({ url: url(second) });
    await space.does("noticeRuleTest", { id });
    await first.until((all) => all.length > 0);
    await update({ url: url(second), secret: "tk_second" });
    await space.does("noticeRuleTest", { id });
    const [told] = await second.until((all) => all.length > 0);
    expect([first.received[0]?.headers["authorization"], told?.headers["authorization"]]).to.deep.equal([
      "Bearer tk_first",
      "Bearer tk_second",
    ]);
    const hook = await registerWebhook(tenant, first);
    await tenant.rest("PATCH", `/api/webhooks/${hook.id}`, { target: second.url, ...OTHER });
    await space.issue();
    const [, posted] = await second.until((all) => all.length > 1);
    expect(posted?.headers["webhook-signature"]).to.not.contain(" ");
  });
});
