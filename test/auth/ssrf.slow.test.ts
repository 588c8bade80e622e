import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { isPublicAddress } from "../../server/outbound/address.ts";
import { startNameServer } from "../support/accounts/dns.ts";
import { type Canary, startCanary } from "../support/hostile/canary.ts";
import { sample } from "../support/run/runs.ts";
import { createOrganization, startServer, type Tenant } from "../support/server.ts";
import { readRuleDeliveries, SIGNING_SECRET } from "../support/stream/notices.ts";
import { closeReceivers, startReceiver } from "../support/stream/receiver.ts";
import { registerWebhook, waitForDeliveries } from "../support/stream/webhooks.ts";
import { createIssue, createTeam } from "../support/tracker/stream-writes.ts";

const PRIVATE = `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1
  172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1
  240.0.0.1 255.255.255.255 100.100.100.200 168.63.129.16 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1
  ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::a00:1 64:ff9b::1 64:ff9b:1::808:808
  100::1 2001::1 2001:0:7f00:1:: 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254
  fe80::1 fe80::1%eth0 fec0::1 ff02::1`;

const PUBLIC = `1.1.1.1 8.8.8.8 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 169.253.1.1 172.15.0.1
  172.32.0.1 192.0.1.1 192.169.0.1 198.17.0.1 198.20.0.1 223.255.255.255 2606:4700::1111 2001:4860:4860::8888
  2a00:1450:4001::1 64:ff9b::8.8.8.8 64:ff9b::808:808`;

/**
 * Notations of loopback addresses, and addresses that lead to loopback or to metadata services, with the canary's
 * port.
 */
const LITERALS = (port: number) =>
  `127.0.0.1 127.1 127.0.1 127.0.0.1. 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 0x7f.0x0.0x0.0x1
   %31%32%37.0.0.1 ⑫7.0.0.1 127。0。0。1 0 0.0.0.0 localhost localhost. LOCALHOST [::1] [::]
   [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b:1::7f00:1]
   [2002:7f00:1::] [2001:0:7f00:1::] 169.254.169.254 100.100.100.200 [fd00:ec2::254] [fe80::1]`
    .split(/\s+/)
    .map((host) => `http://${host}:${port}/hook`);

const PLACEHOLDER = "93.184.216.34";

/** Host names that resolve to private addresses, mixed addresses, or different addresses each time. */
function zone() {
  let asked = 0;
  return {
    "private.test": () => ({ A: ["127.0.0.1"] }),
    "metadata.test": () => ({ A: ["169.254.169.254"] }),
    "six.test": () => ({ AAAA: ["::1"] }),
    "mapped.test": () => ({ AAAA: ["::ffff:127.0.0.1"] }),
    "nat64.test": () => ({ AAAA: ["64:ff9b::127.0.0.1"] }),
    "mixed.test": () => ({ A: [PLACEHOLDER, "127.0.0.1"] }),
    "half.test": () => ({ A: [PLACEHOLDER], AAAA: ["::1"] }),
    "alternating.test": () => {
      asked += 1;
      return { A: [asked % 2 ? "127.0.0.1" : PLACEHOLDER] };
    },
  };
}

describe("targets of webhooks, notice rules and mail servers", () => {
  let app: App;
  let tenant: Tenant;
  let teamId: string;
  let canary: Canary;
  let restore: () => void;

  before(async () => {
    // A separate embedded database. On a shared database, a server of another test that allows private targets might
    // deliver.
    app = await startServer({ WEBHOOK_ALLOW_PRIVATE: "off", DATABASE_URL: "" });
    tenant = await createOrganization(app);
    teamId = await createTeam(tenant);
    canary = await startCanary();
    restore = await startNameServer(zone());
  });
  after(() => {
    restore();
    canary.close();
    closeReceivers();
  });

  /** Returns the error of the first delivery attempt for each target, once all attempts were made. */
  const errors = async (targets: string[]) => {
    const webhooks = await Promise.all(targets.map((url) => registerWebhook(tenant, { url })));
    expect(webhooks.filter(({ id }) => !id)).to.deep.equal([]);
    await createIssue(tenant, teamId);
    const logs = await Promise.all(
      webhooks.map((webhook) => waitForDeliveries(tenant, webhook, ([one]) => (one?.attempts.length ?? 0) > 0)),
    );
    await Promise.all(webhooks.map(({ id }) => tenant.rest("DELETE", `/api/webhooks/${id}`)));
    return logs.map(([one]) => one?.attempts[0]?.error);
  };

  it("may be public addresses only", () => {
    expect(PRIVATE.split(/\s+/).filter(isPublicAddress)).to.deep.equal([]);
    expect(PUBLIC.split(/\s+/).filter((address) => !isPublicAddress(address))).to.deep.equal([]);
  });

  it("cannot be a loopback address in any notation", async () => {
    const targets = LITERALS(canary.port);
    const told = await errors(targets);
    expect(canary.connections()).to.equal(0);
    const allowed = ["the target is not a public address", "the name does not resolve"];
    expect(targets.filter((_, at) => !allowed.includes(told[at] ?? ""))).to.deep.equal([]);
  });

  it("cannot be a name that resolves to loopback at any time", async () => {
    const names = Object.keys(zone()).map((name) => `http://${name}:${canary.port}/hook`);
    const told = await errors([...names, `https://private.test:${canary.port}/`]);
    expect(canary.connections()).to.equal(0);
    expect(new Set(told.slice(0, 7))).to.deep.equal(new Set(["the target is not a public address"]));
  });

  /** Returns the error of the first attempt of each notice rule that is tested. */
  const tested = async (rules: readonly (readonly [Tenant, object])[]) =>
    Promise.all(
      rules.map(async ([owner, channel]) => {
        const input = { name: "Leads away", condition: "leaseExpired", ...channel };
        const make =
          "mutation ($input: NoticeRuleCreateInput!) { noticeRuleCreate(input: $input) { noticeRule { id } } }";
        const { id } = (await owner.gql(make, { input })).noticeRuleCreate.noticeRule;
        await owner.gql("mutation ($id: String!) { noticeRuleTest(id: $id) { success } }", { id });
        for (;;) {
          const [one] = await readRuleDeliveries(owner, id);
          if (one?.attempts?.length) return one.attempts[0]?.error;
          await sleep(250);
        }
      }),
    );

  it("of notice rules cannot be loopback addresses, for any channel", async () => {
    const names = Object.keys(zone()).map((name) => `http://${name}:${canary.port}/hook`);
    const targets = [...LITERALS(canary.port), ...names];
    for (const channel of ["slack", "ntfy", "webhook"]) {
      const owner = await createOrganization(app);
      const secret = channel === "webhook" ? { secret: SIGNING_SECRET } : {};
      const some = sample(targets);
      const told = await tested(some.map((url) => [owner, { channel, url, ...secret }] as const));
      const allowed = ["the target is not a public address", "the name does not resolve"];
      expect(some.filter((_, at) => !allowed.includes(told[at] ?? ""))).to.deep.equal([]);
    }
    expect(canary.connections()).to.equal(0);
  });

  it("of an organization's mail server cannot be loopback addresses", async () => {
    const hosts = [...LITERALS(canary.port).map((url) => new URL(url).hostname), ...Object.keys(zone())];
    const rules: (readonly [Tenant, object])[] = [];
    const taken: string[] = [];
    for (const host of new Set(hosts.map((each) => each.replace(/^\[|\]$/g, "")))) {
      const owner = await createOrganization(app);
      const server = { host, port: canary.port, security: "none", from: "Trackway <notices@example.com>" };
      const { status } = await owner.rest("PATCH", "/api/mail-server", server);
      if (status >= 400) continue;
      taken.push(host);
      rules.push([owner, { channel: "email", emails: ["olga@example.com"] }]);
    }
    expect(taken).to.include.members(["127.0.0.1", "::1", "private.test", "alternating.test"]);
    const told = await tested(rules);
    expect(canary.connections()).to.equal(0);
    const allowed =
      /^(?:the mail server does not have a public address|the mail server did not accept the email \(ENOTFOUND\))$/;
    expect(taken.filter((_, at) => !allowed.test(told[at] ?? "")).map((host) => host)).to.deep.equal([]);
  });

  it("do not follow redirects", async () => {
    const receiver = await startReceiver(
      [301, 302, 303, 307, 308].map(
        (status) => (response) => response.writeHead(status, { Location: `http://127.0.0.1:${canary.port}/` }).end(),
      ),
    );
    const shared = await createOrganization();
    const webhook = await registerWebhook(shared, receiver);
    const team = await createTeam(shared);
    for (let count = 0; count < 5; count += 1) await createIssue(shared, team);
    await waitForDeliveries(
      shared,
      webhook,
      (all) => all.length === 5 && all.every(({ attempts }) => attempts.length > 0),
    );
    expect([canary.connections(), receiver.received.length]).to.deep.equal([0, 5]);
  });
});
