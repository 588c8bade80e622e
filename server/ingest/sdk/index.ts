import type { IngestHandler } from "../ingestion.ts";
import { braintrustLogsEndpoint, handleBraintrustLogin, handleBraintrustProjectRegister } from "./braintrust.ts";
import { createSdkEndpointHandler, createSdkQuestionHandler, type SdkEndpoint, type SdkHandler } from "./endpoint.ts";
import { langfuseIngestionEndpoint } from "./langfuse.ts";
import {
  langsmithServerInfo,
  multipartRunsEndpoint,
  runBatchEndpoint,
  runUpdateEndpoint,
  singleRunEndpoint,
} from "./langsmith.ts";
import { agentTracesEndpoint } from "./openai-agents.ts";

const posted = (endpoint: SdkEndpoint) => createSdkEndpointHandler("POST", endpoint);
const langfuse = posted(langfuseIngestionEndpoint);
const openaiAgents = posted(agentTracesEndpoint);

/**
 * Handlers of the SDKs' endpoints, by path. Each SDK has its own path prefix, which the user enters in the URL setting
 * of the SDK.
 */
export const sdkHandlers: ReadonlyMap<string, SdkHandler> = new Map([
  ["/sdk/langsmith/info", createSdkQuestionHandler("GET", async () => langsmithServerInfo)],
  ["/sdk/langsmith/runs", posted(singleRunEndpoint)],
  ["/sdk/langsmith/runs/batch", posted(runBatchEndpoint)],
  ["/sdk/langsmith/runs/multipart", posted(multipartRunsEndpoint)],
  ["/sdk/langsmith/runs/:id", createSdkEndpointHandler("PATCH", runUpdateEndpoint)],
  ["/sdk/openai-agents/v1/traces/ingest", openaiAgents],
  ["/v1/traces/ingest", openaiAgents],
  ["/sdk/langfuse/api/public/ingestion", langfuse],
  ["/api/public/ingestion", langfuse],
  ["/sdk/braintrust/api/apikey/login", createSdkQuestionHandler("POST", handleBraintrustLogin)],
  ["/sdk/braintrust/api/project/register", createSdkQuestionHandler("POST", handleBraintrustProjectRegister)],
  ["/sdk/braintrust/version", createSdkQuestionHandler("GET", async () => ({}))],
  ["/sdk/braintrust/logs3", posted(braintrustLogsEndpoint)],
]);

export const sdkPaths: readonly string[] = [...sdkHandlers.keys()];

const RUN = /^\/sdk\/langsmith\/runs\/[^/]+$/;

/** Returns the handler of an SDK path; undefined for other paths. */
export const sdkHandler = (path: string): IngestHandler | undefined =>
  sdkHandlers.get(path) ?? (RUN.test(path) ? sdkHandlers.get("/sdk/langsmith/runs/:id") : undefined);
