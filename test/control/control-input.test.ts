import { expect } from "chai";
import { routes } from "../../server/control/routes.ts";
import { createOrganization, startSharedServer } from "../support/server.ts";

describe("requests to the control plane", () => {
  let url: string;
  before(async () => {
    ({ url } = await startSharedServer());
  });
  const post = async (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
    path = "/api/auth/login",
  ) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body,
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  };

  it("with a form, text or no content type are refused with the type to send", async () => {
    const types = ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"];
    const replies = await Promise.all(types.map((type) => post("email=a", { "Content-Type": type })));
    expect(replies.map(({ status }) => status)).to.deep.equal([415, 415, 415]);
    expect(replies[0]?.body["error"]).to.contain("application/json");
  });

  it("with compression are refused, so that no bomb is inflated", async () => {
    const { status, headers } = await post("x", { "Content-Encoding": "br" });
    expect([status, headers.get("accept-encoding")]).to.deep.equal([415, "identity"]);
  });

  it("without a JSON object get 400", async () => {
    const replies = await Promise.all(
      ["{", "[1", '{"a":1}x', "[]", '"text"', '{"__proto__":{"a":1}}'].map((body) => post(body)),
    );
    expect(replies.map(({ status }) => status)).to.deep.equal([400, 400, 400, 400, 400, 400]);
  });

  it("of more than 64 KiB get 413", async () => {
    const { status, body } = await post(JSON.stringify({ email: "x".repeat(70_000) }));
    expect([status, body["code"]]).to.deep.equal([413, "payload_too_large"]);
  });

  it("without a body get an error that names the missing fields", async () => {
    const response = await fetch(`${url}/api/auth/login`, { method: "POST" });
    const { issues } = (await response.json()) as { issues: { path: string }[] };
    expect(issues.map(({ path }) => path)).to.deep.equal(["email", "password"]);
  });

  it("cannot contain characters that the database does not support", async () => {
    const { rest } = await createOrganization();
    const replies = await Promise.all(["a\0b", "a\ud800b"].map((label) => rest("POST", "/api/api-keys", { label })));
    expect(replies.map(({ status }) => status)).to.deep.equal([400, 400]);
  });

  it("with another method get an error with the allowed methods", async () => {
    const response = await fetch(`${url}/api/api-keys`, { method: "PUT" });
    expect(response.status).to.equal(405);
    expect(response.headers.get("allow")?.split(", ")).to.have.members(["GET", "HEAD", "POST"]);
  });

  it("with the wrong kind of key get 401 that names the right kind, at every path", async () => {
    const { apiKey, ingestKey } = await createOrganization();
    const wrong = [
      "",
      apiKey,
      `Bearer ${apiKey}`,
      `Bearer ${ingestKey}`,
      `Bearer trk_oauth_${"0".repeat(64)}`,
      "Basic eDp5",
    ];
    const told = new Set<string>();
    for (const { method, path, access } of routes) {
      if (access === "public" || access === "optional") continue;
      for (const authorization of wrong) {
        const answer = await fetch(url + path.replace(/:\w+/g, "0198c0de-0000-7000-8000-000000000001"), {
          method: method.toUpperCase(),
          headers: authorization ? { authorization } : {},
        });
        expect([path, authorization, answer.status]).to.deep.equal([path, authorization, 401]);
        told.add(String(((await answer.json()) as Record<string, unknown>)["error"]));
      }
    }
    for (const words of told)
      expect(words).to.match(
        /^Log in .*Authorization: Bearer <access token>.*personal keys nor OAuth tokens|^The credential is not valid/,
      );
    expect(told.size).to.equal(2);
  });

  it("without a bearer token get 401 with the scheme, before the body is read", async () => {
    const { status, headers, body } = await post("{", {}, "/api/organization");
    expect([status, headers.get("www-authenticate"), body["code"]]).to.deep.equal([401, "Bearer", "unauthorized"]);
  });

  it("for unknown or malformed paths get 404 in JSON", async () => {
    const { rest } = await createOrganization();
    const replies = await Promise.all(
      ["/nowhere", "/api/nowhere", "/api/api-keys/%E0%A4%A"].map((path) => rest("DELETE", path)),
    );
    expect(replies.map(({ status, body }) => [status, body["code"]])).to.deep.equal(Array(3).fill([404, "not_found"]));
  });

  it("get the same request id in header and body", async () => {
    const { headers, body } = await post("{}");
    expect(body["request_id"]).to.equal(headers.get("x-request-id"));
  });

  it("get security headers for browsers", async () => {
    const { headers } = await post("{}");
    expect(headers.get("x-content-type-options")).to.equal("nosniff");
    expect(headers.get("content-security-policy")).to.equal("default-src 'none';frame-ancestors 'none'");
    expect(headers.get("cache-control")).to.equal("no-store");
  });
});
