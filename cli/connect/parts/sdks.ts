import { getOwnProperty } from "../../../formats/own.ts";
import { quoteForShell } from "../../output/print.ts";

/** Function that returns the configuration lines with which an SDK sends its data to the Trackway server at `url`. */
type Lines = (url: string) => string[];

const KEY = '"$TRACKER_INGEST_KEY"';
const variables =
  (of: (url: string) => Record<string, string>): Lines =>
  (url) =>
    Object.entries(of(url)).map(([name, value]) => `export ${name}=${value === KEY ? value : quoteForShell(value)}`);

const SDKS: Readonly<Record<string, Lines>> = {
  langsmith: variables((url) => ({
    LANGSMITH_TRACING: "true",
    LANGSMITH_ENDPOINT: `${url}/sdk/langsmith`,
    LANGSMITH_API_KEY: KEY,
  })),
  "openai-agents": (url) => [
    'import { BatchTraceProcessor, OpenAITracingExporter, setTraceProcessors } from "@openai/agents";',
    "",
    "const exporter = new OpenAITracingExporter({",
    `  endpoint: ${JSON.stringify(`${url}/sdk/openai-agents/v1/traces/ingest`)},`,
    "  apiKey: process.env.TRACKER_INGEST_KEY,",
    "});",
    "setTraceProcessors([new BatchTraceProcessor(exporter)]);",
  ],
  langfuse: variables((url) => ({
    LANGFUSE_BASEURL: `${url}/sdk/langfuse`,
    LANGFUSE_HOST: `${url}/sdk/langfuse`,
    LANGFUSE_PUBLIC_KEY: "trackway",
    LANGFUSE_SECRET_KEY: KEY,
  })),
  laminar: (url) => [
    'import { Laminar } from "@lmnr-ai/lmnr";',
    "",
    "Laminar.initialize({",
    "  projectApiKey: process.env.TRACKER_INGEST_KEY,",
    `  baseUrl: ${JSON.stringify(url)},`,
    `  httpPort: ${portOf(url)},`,
    "  forceHttp: true,",
    "});",
  ],
  braintrust: variables((url) => ({
    BRAINTRUST_APP_URL: `${url}/sdk/braintrust`,
    BRAINTRUST_API_URL: `${url}/sdk/braintrust`,
    BRAINTRUST_API_KEY: KEY,
  })),
};

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === "https:" ? 443 : 80);
}

/** Names of the supported SDKs. */
export const SDK_NAMES: readonly string[] = Object.keys(SDKS);

/**
 * Returns the lines for an SDK: shell variables, or code. The lines read the key from the environment and never contain
 * the key.
 */
export const buildSdkSetupText = (sdk: string, url: string): string =>
  `${(getOwnProperty(SDKS, sdk)?.(url) ?? []).join("\n")}\n`;
