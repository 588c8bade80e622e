import type { IncomingMessage } from "node:http";
import { isUuid } from "../arguments/filters.ts";
import { type Capture, captureWith } from "../capture/capture.ts";
import type { Recorder } from "../capture/recorder.ts";
import { type Selection, selectionFrom } from "../registry/selection.ts";
import { Refusal } from "./response.ts";

/**
 * The keys a request brings: the personal key in Authorization (as a bearer or raw), an ingest key in x-api-key.
 * @throws Refusal 401 without a well-formed personal key.
 */
export function keysOf({ headers }: IncomingMessage): { apiKey: string; ingestKey: string | undefined } {
  const apiKey = headers.authorization?.replace(/^Bearer\s+/i, "").trim();
  if (apiKey === undefined || !/^trk_api_[0-9a-f]{40}$/.test(apiKey)) {
    const error = apiKey === undefined ? "Bearer" : 'Bearer error="invalid_token"';
    throw new Refusal(401, "Send a personal API key: Authorization: Bearer trk_api_…", { "www-authenticate": error });
  }
  const ingestKey = headers["x-api-key"]?.toString();
  if (ingestKey !== undefined && !/^sk_[0-9a-f]{64}$/.test(ingestKey)) {
    throw new Refusal(401, "x-api-key is no ingest key (sk_…).", { "www-authenticate": "ApiKey" });
  }
  return { apiKey, ingestKey };
}

/**
 * What a request selects, by header or query: toolsets, tools, read-only. It can only narrow what the process allows.
 * @throws Refusal 400 for a name that does not exist.
 */
export function requestSelection({ headers, url }: IncomingMessage): Selection {
  const query = new URLSearchParams((url ?? "").split("?", 2)[1]);
  const given = (header: string, parameter: string) => headers[header]?.toString() ?? query.get(parameter) ?? undefined;
  const list = (text: string | undefined) => text?.split(",").map((name) => name.trim());
  const readOnly = given("x-mcp-readonly", "read_only");
  try {
    return selectionFrom({
      toolsets: list(given("x-mcp-toolsets", "toolsets")),
      tools: list(given("x-mcp-tools", "tools")),
      readOnly: readOnly !== undefined && !["", "0", "false", "off"].includes(readOnly),
    });
  } catch (error) {
    throw new Refusal(400, (error as Error).message);
  }
}

/** How calls of this request are recorded: with its ingest key, under the session and turn its headers name. */
export function captureOf(
  { headers }: IncomingMessage,
  { ingestKey }: { ingestKey: string | undefined },
  recorder: Recorder | undefined,
): Capture | undefined {
  if (!recorder || ingestKey === undefined) return undefined;
  const id = (name: string) => [headers[name]].flat().find((value) => value !== undefined && isUuid(value));
  return captureWith(recorder, {
    key: ingestKey,
    sessionId: id("x-trackway-session"),
    turnId: id("x-trackway-turn"),
  });
}
