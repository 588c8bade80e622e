import type { IncomingMessage } from "node:http";
import { type Payload, readObject, readObjects } from "../../agents/fields.ts";
import type { Ingestion } from "../ingestion.ts";
import type { Span } from "../otlp/model.ts";
import { ingestKeyRequiredError } from "../request/admission.ts";
import { TELEMETRY_KEY_LOCATION } from "../request/keys.ts";
import { buildSpan, parseSdkBody, prefixMembers, type SdkEndpoint } from "./endpoint.ts";

/**
 * POST /logs3: receives rows from Braintrust's SDK. Rows with the same id describe the same span, and later rows
 * contain changes to earlier rows.
 */
export const braintrustLogsEndpoint: SdkEndpoint = {
  read(body) {
    const rows = readObjects(parseSdkBody(body), "rows");
    return { spans: rows.map(spanOfRow), answer: () => ({ status: 200, body: { ids: rows.map(({ id }) => id) } }) };
  },
};

function spanOfRow(row: Payload): Span {
  const attributes = readObject(row, "span_attributes");
  const metrics = readObject(row, "metrics");
  const [parent] = Array.isArray(row["span_parents"]) ? row["span_parents"] : [];
  const trace = row["root_span_id"];
  const members = { source: "braintrust", trace, id: row["span_id"], parent, name: attributes["name"] };
  const times = { start: msOf(metrics["start"]), end: msOf(metrics["end"]) };
  return buildSpan(
    { ...members, ...times, error: row["error"] },
    {
      "braintrust.span_attributes": JSON.stringify(attributes),
      "braintrust.root_span_id": trace,
      "braintrust.input_json": row["input"],
      "braintrust.output_json": row["output"],
      ...prefixMembers("braintrust.metrics.", metrics),
      ...prefixMembers("braintrust.metadata.", readObject(row, "metadata")),
    },
  );
}

const msOf = (seconds: unknown): number | undefined => (typeof seconds === "number" ? seconds * 1_000 : undefined);

/** POST /api/apikey/login: tells the SDK where to send its data. */
export async function handleBraintrustLogin(parts: Ingestion, request: IncomingMessage): Promise<object> {
  const { organizationId } = await keyOf(parts, request);
  const url = `${parts.runtime.publicUrl}/sdk/braintrust`;
  return { org_info: [{ id: organizationId, name: "trackway", api_url: url, proxy_url: url }] };
}

/** POST /api/project/register: accepts any project, because Trackway does not create projects for SDKs. */
export async function handleBraintrustProjectRegister(parts: Ingestion, request: IncomingMessage): Promise<object> {
  const { organizationId } = await keyOf(parts, request);
  return { project: { id: organizationId, name: "trackway" } };
}

async function keyOf(parts: Ingestion, request: IncomingMessage) {
  const key = await parts.keys.find(TELEMETRY_KEY_LOCATION.of(request));
  request.resume();
  if (!key) throw ingestKeyRequiredError(TELEMETRY_KEY_LOCATION.where, TELEMETRY_KEY_LOCATION.scheme);
  return key;
}
