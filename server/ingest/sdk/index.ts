import type { Handler } from "../ingestion.ts";
import { login, logs, register } from "./braintrust.ts";
import { endpointHandler, questionHandler, type SdkEndpoint, type SdkHandler } from "./endpoint.ts";
import { ingestion } from "./langfuse.ts";
import { batchOfRuns, changedRun, formOfRuns, info, oneRun } from "./langsmith.ts";
import { agentTraces } from "./openai-agents.ts";

const posted = (endpoint: SdkEndpoint) => endpointHandler("POST", endpoint);
const langfuse = posted(ingestion);
const openaiAgents = posted(agentTraces);

/** Endpoints of SDKs. Each SDK has its own path prefix, which the SDK's URL setting accepts. */
export const sdkHandlers: ReadonlyMap<string, SdkHandler> = new Map([
  ["/sdk/langsmith/info", questionHandler("GET", async () => info)],
  ["/sdk/langsmith/runs", posted(oneRun)],
  ["/sdk/langsmith/runs/batch", posted(batchOfRuns)],
  ["/sdk/langsmith/runs/multipart", posted(formOfRuns)],
  ["/sdk/langsmith/runs/:id", endpointHandler("PATCH", changedRun)],
  ["/sdk/openai-agents/v1/traces/ingest", openaiAgents],
  ["/v1/traces/ingest", openaiAgents],
  ["/sdk/langfuse/api/public/ingestion", langfuse],
  ["/api/public/ingestion", langfuse],
  ["/sdk/braintrust/api/apikey/login", questionHandler("POST", login)],
  ["/sdk/braintrust/api/project/register", questionHandler("POST", register)],
  ["/sdk/braintrust/version", questionHandler("GET", async () => ({}))],
  ["/sdk/braintrust/logs3", posted(logs)],
]);

export const sdkPaths: readonly string[] = [...sdkHandlers.keys()];

const RUN = /^\/sdk\/langsmith\/runs\/[^/]+$/;

/** Returns the handler of an SDK path; undefined for other paths. */
export const sdkHandler = (path: string): Handler | undefined =>
  sdkHandlers.get(path) ?? (RUN.test(path) ? sdkHandlers.get("/sdk/langsmith/runs/:id") : undefined);
