import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { callRestApi, createOrganization, startServer } from "../support/server.ts";

describe("the client address in X-Forwarded-For", () => {
  let app: App;
  before(async () => {
    app = await startServer({ LOGIN_THROTTLE: "on", TRUST_PROXY: "on" });
  });

  const FORMS: Readonly<Record<string, (at: number) => string>> = {
    "an address with a port": (at) => `203.0.113.2:${40_000 + at}`,
    "an address of IPv6 in brackets with a port": (at) => `[2001:db8::${at.toString(16)}]:${40_000 + at}`,
    "an address with a zone": (at) => `fe80::1%eth${at}`,
    "IPv4 mapped into IPv6": (at) => (at % 2 ? "::ffff:198.51.100.7" : `[::ffff:c633:6407]:${at}`),
    "text that is no address": (at) => `unknown-${at}`,
  };

  for (const [name, addressOf] of Object.entries(FORMS)) {
    it(`counts as one client in each notation: ${name}`, async () => {
      const { email } = await createOrganization(app);
      const statuses: number[] = [];
      for (let at = 0; at < 13; at += 1) {
        const headers = { "X-Forwarded-For": addressOf(at) };
        const body = { email, password: "a wrong guess" };
        statuses.push((await callRestApi(app.url, "POST", "/api/auth/login", { body, headers })).status);
      }
      expect(statuses).to.deep.equal([...Array(10).fill(401), ...Array(3).fill(429)]);
    });
  }
});
