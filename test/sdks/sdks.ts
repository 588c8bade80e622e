/** A real SDK, with the expected result of its run. */
export interface Sdk {
  /** Packages of the program, in versions that are known to work. */
  packages: readonly string[];
  /** True if the program configures the SDK in code, with TRACES_URL and KEY, instead of environment variables. */
  byCode?: true;
  /** Expected kind of the nested agent, as the SDK marks the agent. */
  nested: string;
  /** False for an SDK that sends no token counts of streamed responses. */
  tokens: boolean;
  /** Error of the failed call, as the SDK sends the error. */
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
