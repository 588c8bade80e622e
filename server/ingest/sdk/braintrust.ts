import type { IncomingMessage } from "node:http";
import { type Payload, readObject, readObjects } from "../../agents/fields.ts";
import type { Ingestion } from "../ingestion.ts";
import type { Span } from "../otlp/model.ts";
import { keyRequired } from "../request/admission.ts";
import { TELEMETRY_KEY } from "../request/keys.ts";
import { buildSpan, parseSdkBody, prefixMembers, type SdkEndpoint } from "./endpoint.ts";

/** POST /logs3: rows of Braintrust's SDK. Several rows with one id are one span; later rows contain the changes. */
export const logs: SdkEndpoint = {
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
export async function login(parts: Ingestion, request: IncomingMessage): Promise<object> {
  const { organizationId } = await keyOf(parts, request);
  const url = `${parts.runtime.publicUrl}/sdk/braintrust`;
  return { org_info: [{ id: organizationId, name: "trackway", api_url: url, proxy_url: url }] };
}

/** POST /api/project/register: accepts any project, because Trackway does not create projects for SDKs. */
export async function register(parts: Ingestion, request: IncomingMessage): Promise<object> {
  const { organizationId } = await keyOf(parts, request);
  return { project: { id: organizationId, name: "trackway" } };
}

async function keyOf(parts: Ingestion, request: IncomingMessage) {
  const key = await parts.keys.find(TELEMETRY_KEY.of(request));
  request.resume();
  if (!key) throw keyRequired(TELEMETRY_KEY.where, TELEMETRY_KEY.scheme);
  return key;
}
