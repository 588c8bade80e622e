import { asText, objectOf, objectsOf, type Payload } from "../fields.ts";
import type { Span } from "../otlp/model.ts";
import { jsonOf, type SdkEndpoint, spanOf, under } from "./endpoint.ts";

/** POST /v1/traces/ingest: traces and spans of the OpenAI Agents SDK. */
export const agentTraces: SdkEndpoint = {
  read: (body) => ({
    spans: objectsOf(jsonOf(body), "data").map(spanOfItem),
    answer: () => ({ status: 200, body: {} }),
  }),
};

/** The name of a workflow that nobody named. */
const UNNAMED = "Agent workflow";

function spanOfItem(item: Payload): Span {
  if (item["object"] === "trace") return spanOfTrace(item);
  const data = objectOf(item, "span_data");
  const trace = item["trace_id"];
  const members = { source: "openai-agents", trace, id: item["id"], parent: item["parent_id"], error: errorOf(item) };
  return spanOf(
    { ...members, name: data["name"], start: item["started_at"], end: item["ended_at"] },
    {
      "openai.agents.span": objectOf(data, "data")["sdk_span_type"] ?? data["type"] ?? "custom",
      "openai.agents.trace.id": trace,
      ...under("openai.agents.data.", data),
    },
  );
}

function spanOfTrace(item: Payload): Span {
  const name = item["workflow_name"] === UNNAMED ? undefined : item["workflow_name"];
  return spanOf(
    { source: "openai-agents", trace: item["id"], id: item["id"], name },
    {
      "openai.agents.span": "trace",
      "openai.agents.trace.id": item["id"],
      "openai.agents.group.id": item["group_id"],
      ...under("openai.agents.metadata.", objectOf(item, "metadata")),
    },
  );
}

/** The error of a tool stands beside a sentence that is always the same. */
function errorOf(item: Payload): string | undefined {
  if (!item["error"]) return undefined;
  const error = objectOf(item, "error");
  const cause = objectOf(error, "data")["error"];
  const words = [error["message"], cause].flatMap((word) => asText(word) ?? []);
  return words.length > 0 ? words.join(": ") : asText(item["error"]);
}
