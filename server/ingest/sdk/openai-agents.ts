import { type Payload, readObject, readObjects, toText } from "../../agents/fields.ts";
import type { Span } from "../otlp/model.ts";
import { buildSpan, parseSdkBody, prefixMembers, type SdkEndpoint } from "./endpoint.ts";

/** POST /v1/traces/ingest: traces and spans of the OpenAI Agents SDK. */
export const agentTracesEndpoint: SdkEndpoint = {
  read: (body) => ({
    spans: readObjects(parseSdkBody(body), "data").map(spanOfItem),
    answer: () => ({ status: 200, body: {} }),
  }),
};

/** Name that the SDK gives to workflows without a name. */
const UNNAMED = "Agent workflow";

function spanOfItem(item: Payload): Span {
  if (item["object"] === "trace") return spanOfTrace(item);
  const data = readObject(item, "span_data");
  const trace = item["trace_id"];
  const members = { source: "openai-agents", trace, id: item["id"], parent: item["parent_id"], error: errorOf(item) };
  return buildSpan(
    { ...members, name: data["name"], start: item["started_at"], end: item["ended_at"] },
    {
      "openai.agents.span": readObject(data, "data")["sdk_span_type"] ?? data["type"] ?? "custom",
      "openai.agents.trace.id": trace,
      ...prefixMembers("openai.agents.data.", data),
    },
  );
}

function spanOfTrace(item: Payload): Span {
  const name = item["workflow_name"] === UNNAMED ? undefined : item["workflow_name"];
  return buildSpan(
    { source: "openai-agents", trace: item["id"], id: item["id"], name },
    {
      "openai.agents.span": "trace",
      "openai.agents.trace.id": item["id"],
      "openai.agents.group.id": item["group_id"],
      ...prefixMembers("openai.agents.metadata.", readObject(item, "metadata")),
    },
  );
}

/**
 * Returns the error text of a span. For a failed tool call, `message` is a fixed sentence, so the function appends the
 * tool's own error.
 */
function errorOf(item: Payload): string | undefined {
  if (!item["error"]) return undefined;
  const error = readObject(item, "error");
  const cause = readObject(error, "data")["error"];
  const words = [error["message"], cause].flatMap((word) => toText(word) ?? []);
  return words.length > 0 ? words.join(": ") : toText(item["error"]);
}
