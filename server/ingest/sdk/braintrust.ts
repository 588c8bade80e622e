import type { IncomingMessage } from "node:http";
import { objectOf, objectsOf, type Payload } from "../fields.ts";
import type { Ingestion } from "../ingestion.ts";
import type { Span } from "../otlp/model.ts";
import { keyRequired } from "../request/admission.ts";
import { TELEMETRY_KEY } from "../request/keys.ts";
import { jsonOf, type SdkEndpoint, spanOf, under } from "./endpoint.ts";

/** POST /logs3: rows of Braintrust's SDK. Several rows of one id are one span, the later ones with what has changed. */
export const logs: SdkEndpoint = {
  read(body) {
    const rows = objectsOf(jsonOf(body), "rows");
    return { spans: rows.map(spanOfRow), answer: () => ({ status: 200, body: { ids: rows.map(({ id }) => id) } }) };
  },
};

function spanOfRow(row: Payload): Span {
  const attributes = objectOf(row, "span_attributes");
  const metrics = objectOf(row, "metrics");
  const [parent] = Array.isArray(row["span_parents"]) ? row["span_parents"] : [];
  const trace = row["root_span_id"];
  const members = { source: "braintrust", trace, id: row["span_id"], parent, name: attributes["name"] };
  const times = { start: msOf(metrics["start"]), end: msOf(metrics["end"]) };
  return spanOf(
    { ...members, ...times, error: row["error"] },
    {
      "braintrust.span_attributes": JSON.stringify(attributes),
      "braintrust.root_span_id": trace,
      "braintrust.input_json": row["input"],
      "braintrust.output_json": row["output"],
      ...under("braintrust.metrics.", metrics),
      ...under("braintrust.metadata.", objectOf(row, "metadata")),
    },
  );
}

const msOf = (seconds: unknown): number | undefined => (typeof seconds === "number" ? seconds * 1_000 : undefined);

/** POST /api/apikey/login: the SDK asks where it sends to. */
export async function login(parts: Ingestion, request: IncomingMessage): Promise<object> {
  const { organizationId } = await keyOf(parts, request);
  const url = `${parts.runtime.publicUrl}/sdk/braintrust`;
  return { org_info: [{ id: organizationId, name: "trackway", api_url: url, proxy_url: url }] };
}

/** POST /api/project/register: a project needs no making here. */
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
