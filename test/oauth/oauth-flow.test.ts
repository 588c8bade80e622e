import { expect } from "chai";
import {
  allowedCode,
  authorizationRequest,
  connect,
  exchange,
  get,
  listTools,
  type Pair,
  postJson,
  refreshed,
  rest,
  startPair,
  viewerStatus,
} from "../support/accounts/oauth.ts";

describe("OAuth, from nothing to a call", function () {
  this.timeout(180_000);
  let pair: Pair;
  before(async () => {
    pair = await startPair();
  });

  it("leads a client from the address of MCP to tokens that open MCP and GraphQL", async () => {
    const { tenant, mcp } = pair;
    const challenge = await postJson(mcp, "", {});
    expect(challenge.status).to.equal(401);
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge.headers.get("www-authenticate") ?? "")?.[1] ?? "";
    const resource = (await get(metadataUrl)).body;
    expect([resource.resource, resource.authorization_servers]).to.deep.equal([mcp, [tenant.url]]);
    const server = (await get(`${tenant.url}/.well-known/oauth-authorization-server`)).body;
    expect(server).to.include({ issuer: tenant.url, client_id_metadata_document_supported: false });
    expect(server.code_challenge_methods_supported).to.deep.equal(["S256"]);
    const request = await authorizationRequest(tenant.url, { resource: mcp });
    expect((await get(server.authorization_endpoint, `?${request.query}`)).status).to.equal(200);
    const tokens = (await exchange(tenant.url, request, await allowedCode(tenant, request))).body;
    expect(tokens).to.include({ token_type: "Bearer", expires_in: 900, scope: "read write" });
    expect(await viewerStatus(tenant.url, tokens.access_token)).to.equal(200);
    const tools = await listTools(mcp, tokens.access_token);
    expect([tools.status, tools.body.result?.tools.length > 5]).to.deep.equal([200, true]);
  });

  it("refreshes, lists what is connected, and ends it for GraphQL and MCP at once", async () => {
    const { tenant, mcp } = pair;
    const tokens = await connect(tenant);
    const next = (await refreshed(tenant.url, tokens.clientId, tokens.refresh_token)).body;
    expect(await viewerStatus(tenant.url, next.access_token)).to.equal(200);
    const listed = (await rest(tenant.url, tenant.accessToken, "GET", "/api/connections")).body["connections"] as {
      id: string;
      clientId: string;
    }[];
    const { id } = listed.find(({ clientId }) => clientId === tokens.clientId) ?? { id: "" };
    expect((await rest(tenant.url, tenant.accessToken, "DELETE", `/api/connections/${id}`)).status).to.equal(200);
    const statuses = [
      await viewerStatus(tenant.url, next.access_token),
      (await listTools(mcp, next.access_token)).status,
    ];
    expect([...statuses, (await refreshed(tenant.url, tokens.clientId, next.refresh_token)).status]).to.deep.equal([
      401, 401, 400,
    ]);
  });
});
