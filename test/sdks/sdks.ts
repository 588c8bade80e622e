/** A real SDK, and what its run is to leave behind. */
export interface Sdk {
  /** The packages of its program, in the versions that are known to work so. */
  packages: readonly string[];
  /** True when the SDK is pointed here by code, which its program has: it reads TRACES_URL and KEY. */
  byCode?: true;
  /** The kind that the nested agent has: what the SDK marks it as. */
  nested: string;
  /** False for an SDK that sends no tokens of a streamed answer. */
  tokens: boolean;
  /** The failed call's error as the SDK sends it. */
  error: RegExp;
}

const OPENAI = "openai@7.57.0";
const EXPLODED = /tool exploded/;

/** The SDKs that `npm run sdks` runs. */
export const SDKS: Readonly<Record<string, Sdk>> = {
  langsmith: { packages: ["langsmith@0.12.0", OPENAI], nested: "subagent", tokens: true, error: EXPLODED },
  "openai-agents": {
    packages: ["@openai/agents@0.20.0", OPENAI, "zod"],
    byCode: true,
    nested: "subagent",
    tokens: true,
    error: /Error details are redacted/,
  },
  langfuse: { packages: ["langfuse@3.39.2", OPENAI], nested: "tool", tokens: true, error: EXPLODED },
  laminar: {
    packages: ["@lmnr-ai/lmnr@0.8.44", OPENAI],
    byCode: true,
    nested: "other",
    tokens: false,
    error: EXPLODED,
  },
  braintrust: { packages: ["braintrust@3.35.0", OPENAI], nested: "subagent", tokens: true, error: EXPLODED },
  grpc: {
    packages: [
      "@opentelemetry/exporter-trace-otlp-grpc@0.223.1",
      "@opentelemetry/sdk-trace-node",
      "@opentelemetry/api",
      OPENAI,
    ],
    byCode: true,
    nested: "subagent",
    tokens: true,
    error: EXPLODED,
  },
};
