import { createGraphqlClient } from "./api/graphql.ts";
import { createIngestClient } from "./api/ingest.ts";
import type { Config } from "./config.ts";
import { TEAM } from "./documents/team.ts";

interface Viewer {
  viewer: { name: string; email: string };
  organization: { name: string };
}

/**
 * Says on stdout whether an assistant could work with this configuration, and what to change if not.
 * Exit code 1 when it could not.
 */
export async function check(config: Config): Promise<void> {
  const signal = AbortSignal.timeout(20_000);
  const findings = [await checkServer(config), await checkKey(config, signal), await checkIngestKey(config, signal)];
  for (const { ok, text } of findings) process.stdout.write(`${ok ? "ok  " : "FAIL"} ${text}\n`);
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
}

interface Finding {
  ok: boolean;
  text: string;
}

async function checkServer({ url }: Config): Promise<Finding> {
  const response = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(5_000) }).catch(
    (error: Error) => error,
  );
  if (response instanceof Error) {
    const reason = (response.cause as { code?: string } | undefined)?.code ?? response.message;
    return {
      ok: false,
      text: `server: nothing answers at ${url} (${reason}). Start it with npm start, or set TRACKER_URL.`,
    };
  }
  const health = (await response.json().catch(() => ({}))) as { status?: string; version?: string };
  if (health.status === "ok") return { ok: true, text: `server: Trackway ${health.version ?? ""} at ${url}` };
  return {
    ok: false,
    text: `server: ${url}/api/health answered ${response.status}. Is this Trackway, and its database up?`,
  };
}

async function checkKey({ url, apiKey }: Config, signal: AbortSignal): Promise<Finding> {
  if (apiKey === undefined)
    return { ok: false, text: "key: TRACKER_API_KEY is not set. Create one with POST /api/api-keys." };
  try {
    const { viewer, organization } = await createGraphqlClient({ url, key: apiKey, signal })<Viewer>(TEAM.viewer);
    return { ok: true, text: `key: ${viewer.name} <${viewer.email}> in ${organization.name}` };
  } catch (error) {
    return { ok: false, text: `key: ${(error as Error).message}` };
  }
}

/** An empty batch stores nothing and still needs the key. */
async function checkIngestKey({ url, ingestKey: key }: Config, signal: AbortSignal): Promise<Finding> {
  if (key === undefined) return { ok: true, text: "ingest key: none, so capture_turn is not offered" };
  try {
    await createIngestClient({ url, key, signal }).post("capture-events", { events: [] });
    return { ok: true, text: "ingest key: accepted" };
  } catch (error) {
    return { ok: false, text: `ingest key: ${(error as Error).message}` };
  }
}
