import { writeResult } from "../system/streams.ts";
import {
  explainNonTrackwayResponse,
  explainUnreachable,
  parseJsonObjectBody,
  toStringOrUndefined,
} from "./api/answer.ts";
import { fetchKeepAlive } from "./api/fetch.ts";
import { createGraphqlClient } from "./api/graphql.ts";
import { createIngestClient } from "./api/ingest.ts";
import type { Config } from "./config.ts";
import { TEAM_DOCUMENTS } from "./documents/team.ts";

interface Viewer {
  viewer: { name: string; email: string };
  organization: { name: string };
}

/**
 * Prints whether an assistant can work with this configuration. If not, prints what to change and sets the exit code to
 * 1.
 */
export async function printConfigurationCheck(config: Config): Promise<void> {
  const signal = AbortSignal.timeout(20_000);
  const findings = [await checkServer(config), await checkKey(config, signal), await checkIngestKey(config, signal)];
  for (const { ok, text } of findings) writeResult(`${ok ? "ok  " : "FAIL"} ${text}\n`);
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
}

interface Finding {
  ok: boolean;
  text: string;
}

async function checkServer({ url }: Config): Promise<Finding> {
  const response = await fetchKeepAlive(`${url}/api/health`, {
    method: "GET",
    signal: AbortSignal.timeout(5_000),
  }).catch((error: Error) => error);
  if (response instanceof Error) {
    return { ok: false, text: `server: ${explainUnreachable(response, url)}` };
  }
  const health = await parseJsonObjectBody(response);
  const [status, version] = [toStringOrUndefined(health["status"]), toStringOrUndefined(health["version"])];
  if (response.ok && status === "ok" && version !== undefined)
    return { ok: true, text: `server: Trackway ${version} at ${url}` };
  const location = response.headers.get("location");
  const text = status
    ? `${url}/api/health answered ${response.status}: the server is up, and not its database. Read the server's log.`
    : explainNonTrackwayResponse(`${url}/api/health`, response.status, { location });
  return { ok: false, text: `server: ${text}` };
}

async function checkKey({ url, apiKey }: Config, signal: AbortSignal): Promise<Finding> {
  if (apiKey === undefined)
    return { ok: false, text: "key: TRACKER_API_KEY is not set. Create one with POST /api/api-keys." };
  try {
    const { viewer, organization } = await createGraphqlClient({ url, key: apiKey, signal })<Viewer>(
      TEAM_DOCUMENTS.viewer,
    );
    return { ok: true, text: `key: ${viewer.name} <${viewer.email}> in ${organization.name}` };
  } catch (error) {
    return { ok: false, text: `key: ${(error as Error).message}` };
  }
}

/** Checks the ingest key: sends an empty batch, which requires a valid key and stores nothing. */
async function checkIngestKey({ url, ingestKey: key }: Config, signal: AbortSignal): Promise<Finding> {
  if (key === undefined) return { ok: true, text: "ingest key: none, so capture_turn is not offered" };
  try {
    await createIngestClient({ url, key, signal }).post("capture-events", { events: [] });
    return { ok: true, text: "ingest key: accepted" };
  } catch (error) {
    return { ok: false, text: `ingest key: ${(error as Error).message}` };
  }
}
