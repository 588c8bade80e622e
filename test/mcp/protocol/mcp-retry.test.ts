import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { connectHttpClient, startMcpHttp } from "../../support/mcp.ts";
import { createOrganization } from "../../support/server.ts";

/**
 * Starts a proxy that closes the connection instead of sending the response to the first request that contains
 * `word`.
 */
async function losingOneAnswer(target: string, word: string): Promise<Server & { url: string }> {
  const { hostname, port } = new URL(target);
  let lost = false;
  const proxy = createServer(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray());
    const { url: path, method, headers } = incoming;
    const onward = request({ hostname, port, path, method, headers }, (answer) => {
      if (!lost && body.includes(word)) {
        lost = true;
        incoming.socket.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.end(body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return Object.assign(proxy, { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
}

describe("an MCP tool whose connection to the API breaks", () => {
  it("repeats a mutation whose response was lost, and the mutation takes effect once", async () => {
    const tenant = await createOrganization();
    await tenant.gql(`mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }`);
    const proxy = await losingOneAnswer(tenant.url, "issueCreate");
    const { call } = await connectHttpClient(await startMcpHttp(proxy.url), tenant.apiKey);
    const { data } = await call("create_issue", { team: "ENG", title: "Once" });
    expect(data.issue.id).to.equal("ENG-1");
    expect((await tenant.gql(`{ issues { nodes { identifier } } }`)).issues.nodes).to.have.length(1);
    proxy.close();
    proxy.closeAllConnections();
  });
});
