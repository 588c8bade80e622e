import { expect } from "chai";
import {
  callRest,
  connectOauthApp,
  createAuthorizationRequest,
  exchangeCode,
  exchangeRefreshToken,
  getWithoutRedirect,
  listTools,
  obtainCode,
  postJson,
  readViewerStatus,
  type ServerPair,
  startServerPair,
} from "../support/accounts/oauth.ts";

describe("the OAuth flow", () => {
  let pair: ServerPair;
  before(async () => {
    pair = await startServerPair();
  });

  it("leads a client from the address of MCP to tokens for MCP and GraphQL", async () => {
    const { tenant, mcp } = pair;
    const challenge = await postJson(mcp, "", {});
    expect(challenge.status).to.equal(401);
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge.headers.get("www-authenticate") ?? "")?.[1] ?? "";
    const resource = (await getWithoutRedirect(metadataUrl)).body;
    expect([resource.resource, resource.authorization_servers]).to.deep.equal([mcp, [tenant.url]]);
    const server = (await getWithoutRedirect(`${tenant.url}/.well-known/oauth-authorization-server`)).body;
    expect(server).to.include({ issuer: tenant.url, client_id_metadata_document_supported: false });
    expect(server.code_challenge_methods_supported).to.deep.equal(["S256"]);
    const request = await createAuthorizationRequest(tenant.url, { resource: mcp });
    expect((await getWithoutRedirect(server.authorization_endpoint, `?${request.query}`)).status).to.equal(200);
    const tokens = (await exchangeCode(tenant.url, request, await obtainCode(tenant, request))).body;
    expect(tokens).to.include({ token_type: "Bearer", expires_in: 900, scope: "read write" });
    expect(await readViewerStatus(tenant.url, tokens.access_token)).to.equal(200);
    const tools = await listTools(mcp, tokens.access_token);
    expect([tools.status, tools.body.result?.tools.length > 5]).to.deep.equal([200, true]);
  });

  it("refreshes tokens, lists connections, and revokes a connection for GraphQL and MCP at once", async () => {
    const { tenant, mcp } = pair;
    const tokens = await connectOauthApp(tenant);
    const next = (await exchangeRefreshToken(tenant.url, tokens.clientId, tokens.refresh_token)).body;
    expect(await readViewerStatus(tenant.url, next.access_token)).to.equal(200);
    const listed = (await callRest(tenant.url, tenant.accessToken, "GET", "/api/connections")).body["connections"] as {
      id: string;
      clientId: string;
    }[];
    const { id } = listed.find(({ clientId }) => clientId === tokens.clientId) ?? { id: "" };
    expect((await callRest(tenant.url, tenant.accessToken, "DELETE", `/api/connections/${id}`)).status).to.equal(200);
    const statuses = [
      await readViewerStatus(tenant.url, next.access_token),
      (await listTools(mcp, next.access_token)).status,
    ];
    expect([
      ...statuses,
      (await exchangeRefreshToken(tenant.url, tokens.clientId, next.refresh_token)).status,
    ]).to.deep.equal([401, 401, 400]);
  });
});
