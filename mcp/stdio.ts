import { uuidv7 } from "uuidv7";
import { loadGraphqlClient } from "./api/graphql.ts";
import { createCapture } from "./capture/capture.ts";
import { createRecorder } from "./capture/recorder.ts";
import { createClientContext } from "./client-context.ts";
import { type Config, ConfigError } from "./config.ts";
import { onWarning } from "./log.ts";
import { createLineTransport } from "./protocol/line-transport.ts";
import { createVersionedTransport } from "./protocol/versioned-transport.ts";
import { createServer } from "./server.ts";

/** Time in ms after the last response for sending recorded calls. */
const GRACE_MS = 700;
/** Delay in ms before the modules of the first call are loaded: after the handshake, and probably before the call. */
const PRELOAD_MS = 300;

/**
 * Serves one client over stdin and stdout with the keys of the environment. When stdin ends, the server responds to
 * every request that was read, then returns.
 */
export async function serveStdio(config: Config): Promise<void> {
  const { apiKey, ingestKey, url } = config;
  if (apiKey === undefined) {
    throw new ConfigError(
      "TRACKER_API_KEY is required: create a key with POST /api/api-keys, or use the key that the server printed at its first start",
    );
  }
  if (config.capture && ingestKey === undefined) {
    throw new ConfigError("TRACKER_INGEST_KEY is required with --capture: create a key with POST /api/ingest-keys");
  }
  const recorder = config.capture ? createRecorder(url) : undefined;
  const capture = recorder && ingestKey ? createCapture(recorder, { key: ingestKey, sessionId: uuidv7() }) : undefined;
  const client = createClientContext(config, { apiKey, ingestKey, selection: config.allowedTools, capture });
  const lines = createLineTransport(process.stdin, process.stdout);
  const transport = createVersionedTransport(lines);
  const server = createServer(client);
  server.onerror = (error) => process.stderr.write(`trackway-mcp: ${error.message}\n`);
  await server.connect(transport);
  onWarning((data) => void server.sendLoggingMessage({ level: "warning", logger: "trackway", data }).catch(() => {}));
  setTimeout(loadGraphqlClient, PRELOAD_MS).unref();
  // The client exited without closing stdin.
  process.stdout.on("error", () => process.exit(0));
  await lines.ended;
  await transport.idle();
  const deadline = AbortSignal.timeout(GRACE_MS);
  deadline.addEventListener("abort", () => process.exit(0), { once: true });
  await recorder?.close(deadline);
  process.stdout.write("", () => process.exit(0));
}
