import { randomBytes, randomUUID } from "node:crypto";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { createLog } from "../../server/operations/log.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { logLines, startSharedServer } from "../support/server.ts";

interface Logged {
  path?: string;
}

/** Sends a raw request line. Resolves to the id of the request. */
const send = (url: string, method: string, path: string) =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, method, path, headers: { "Content-Length": "0" } }, (answer) => {
      answer.resume().once("end", () => resolve(String(answer.headers["x-request-id"])));
    });
    sent.once("error", reject).end();
  });

/** Returns the log lines of a request, as soon as a line contains the path. */
async function linesOf(requestId: string): Promise<string[]> {
  const lines = logLines.filter((line) => line.includes(requestId));
  if (lines.some((line) => (JSON.parse(line) as Logged).path !== undefined)) return lines;
  await sleep(5);
  return linesOf(requestId);
}

describe("the request log", () => {
  it("contains the pattern of a path, and no values from the path", async () => {
    const { url } = await startSharedServer();
    const { paths } = (await (await fetch(`${url}/api/openapi.json`)).json()) as { paths: Record<string, object> };
    const patterns = Object.keys(paths).flatMap((path) => [path, `${path}/{more}`]);
    const places = [...patterns, "/{more}", "/graphql/{more}", "/api/v1/{more}", "/settings/{more}", "//{more}"];
    const token = fc.integer().map(() => randomBytes(20).toString("base64url"));
    const secret = fc.oneof(
      token,
      fc.constant("").map(() => randomUUID()),
      token.map((one) => `%2e%2e%2f${one}`),
      token.map((one) => `${one};v=1`),
    );
    const property = fc.asyncProperty(
      fc.constantFrom(...places),
      secret,
      fc.constantFrom("GET", "POST", "DELETE", "PATCH", "PUT"),
      async (place, value, method) => {
        const requestId = await send(url, method, place.replace(/\{\w+\}/g, value));
        for (const line of await linesOf(requestId)) expect(line).to.not.include(value.replace(/^%2e%2e%2f/, ""));
      },
    );
    await fc.assert(property, { numRuns: scaleRuns(300), endOnFailure: true });
  });

  it("still identifies the route", async () => {
    const { url } = await startSharedServer();
    const shown = async (path: string) => {
      const lines = await linesOf(await send(url, "GET", path));
      return lines.map((line) => (JSON.parse(line) as Logged).path).find((shape) => shape !== undefined);
    };
    expect(await shown(`/api/webhooks/${randomUUID()}/deliveries?cursor=x`)).to.equal("/api/webhooks/:id/deliveries");
    expect(await shown("/api/v1/whatever")).to.equal("/api/v1/…");
    expect(await shown("/graphql")).to.equal("/graphql");
    expect(await shown("/api/openapi.json")).to.equal("/api/openapi.json");
    expect(await shown("/elsewhere/x")).to.equal("(other)");
  });

  it("redacts every secret in an error", () => {
    const lines: string[] = [];
    const log = createLog("info", { write: (line: string) => void lines.push(line) });
    const hex = (bytes: number) => randomBytes(bytes).toString("hex");
    const [key, ingest, password] = [hex(20), hex(32), hex(9)];
    const error = new Error(`trk_api_${key} at postgres://trackway:${password}@db/x, sk_${ingest}`);
    log.error({ err: error }, "request failed");
    expect(lines.join()).to.include("postgres://trackway:[redacted]@db/x");
    for (const secret of [key, ingest, password]) expect(lines.join()).to.not.include(secret);
  });

  it("omits refused values that the database quotes", () => {
    const lines: string[] = [];
    const log = createLog("info", { write: (line: string) => void lines.push(line) });
    const error = Object.assign(new Error('invalid input syntax for type uuid: "a-token-in-a-claim"'), {
      code: "22P02",
    });
    log.error({ err: error }, "request failed");
    expect(lines.join()).to.include("22P02").and.include("invalid input syntax").and.not.include("a-token-in-a-claim");
  });
});
