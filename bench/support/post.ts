import { Agent, request } from "node:http";

/**
 * Posts every body to `url` over the given number of connections. Rejects
 * when a response is not 2xx. Resolves to seconds.
 */
export async function postAll(
  url: string,
  bodies: readonly Buffer[],
  connections: number,
  headers: Record<string, string> = {},
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const begun = performance.now();
  let next = 0;
  const worker = async () => {
    for (let body = bodies[next++]; body; body = bodies[next++]) await post(agent, url, body, headers);
  };
  await Promise.all(Array.from({ length: connections }, worker));
  agent.destroy();
  return (performance.now() - begun) / 1000;
}

const post = (agent: Agent, url: string, body: Buffer, headers: Record<string, string>): Promise<void> =>
  new Promise((resolve, reject) => {
    const all = { "Content-Type": "application/json", ...headers, "Content-Length": body.length };
    const sent = request(url, { agent, method: "POST", headers: all }, (response) => {
      const { statusCode = 0 } = response;
      response.resume().on("end", () => {
        if (statusCode < 300) resolve();
        else reject(new Error(`${url} answered ${statusCode}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
