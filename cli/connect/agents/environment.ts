import { quoted } from "../../output/safe.ts";
import { type Agent, ownPaths } from "../agent.ts";
import { telemetryFile } from "../parts/telemetry-env.ts";

const NAME = "env";

/** Any other agent that sends OpenTelemetry: a file of variables for its shell. */
export const environment: Agent = {
  name: NAME,
  title: "an agent of your own",
  records: "telemetry",
  own: (connection) => [
    telemetryFile(connection, NAME, {
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_LOGS_EXPORTER: "otlp",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
      TRACKER_URL: connection.url,
      TRACKER_INGEST_KEY: connection.ingestKey,
    }),
  ],
  files: () => [],
  notes: ({ places }) => [`In the shell that starts your agent: . ${quoted(ownPaths(places, NAME).variables)}`],
};
