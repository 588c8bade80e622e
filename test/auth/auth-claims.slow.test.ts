import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { base64url, CompactSign } from "jose";
import { createOrganization, startSharedServer } from "../support/server.ts";
import { expectSocketRefusal } from "../support/stream/realtime.ts";

const ODD = [
  "",
  "\0",
  "\ud800",
  "%00",
  "x",
  "{}",
  "null",
  "0".repeat(5_000),
  `{${randomUUID()}}`,
  randomUUID().slice(1),
];
const json = fc.jsonValue({ maxDepth: 2, stringUnit: "binary" });
const value = fc.oneof(json, fc.constantFrom(...ODD, randomUUID(), 2 ** 53, -1, 1e308, 1e-308));
const changes = fc.dictionary(fc.constantFrom("sub", "sid", "org", "exp", "iat", "nbf", "iss", "aud", "jti"), value, {
  minKeys: 1,
});
/** Claims that may change without making a valid token invalid. */
const HARMLESS = ["aud", "jti"];

describe("an access token with a valid signature and arbitrary claims", () => {
  it("is accepted or refused with 401, at every endpoint", async () => {
    const { url, runtime } = await startSharedServer();
    const tenant = await createOrganization();
    const good = JSON.parse(new TextDecoder().decode(base64url.decode(tenant.accessToken.split(".")[1] ?? "")));
    const sign = (claims: unknown) =>
      new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
        .setProtectedHeader({ alg: "HS256" })
        .sign(runtime.secret);
    const statuses = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      const replies = await Promise.all([
        fetch(`${url}/api/api-keys`, { headers }),
        fetch(`${url}/graphql`, { method: "POST", headers, body: '{"query":"{viewer{id}}"}' }),
      ]);
      return Promise.all(replies.map(async (reply) => [await reply.text(), reply.status][1]));
    };
    const property = fc.asyncProperty(changes, async (changed) => {
      const token = await sign({ ...good, ...changed });
      // A token longer than the maximum size of request headers never reaches the check.
      if (token.length > 15_000) return;
      const found = await statuses(token);
      for (const status of found) expect([200, 401, 403]).to.include(status);
      const ids = ["sub", "sid"].filter((name) => name in changed && changed[name] !== good[name]);
      if (ids.length > 0) expect(found).to.deep.equal([401, 401]);
      if (Object.keys(changed).every((name) => HARMLESS.includes(name))) expect(found).to.deep.equal([200, 200]);
    });
    const each = ODD.map((odd): [Record<string, string>] => [{ sid: odd }]);
    const orgs = ODD.map((odd): [Record<string, string>] => [{ org: odd }]);
    await fc.assert(property, { numRuns: 300, examples: [...each, ...orgs], endOnFailure: true });
    for (const claims of [null, [], "x", 1, {}]) expect(await statuses(await sign(claims))).to.deep.equal([401, 401]);
    const told = await expectSocketRefusal(url, { token: await sign({ ...good, sid: "x" }) });
    expect(told.data).to.deep.equal({ code: "AUTHENTICATION_ERROR" });
  });
});
