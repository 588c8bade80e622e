import { uuidv7 } from "uuidv7";
import { loadGraphqlLibrary } from "./api/graphql.ts";
import { createToolCallCapture } from "./capture/capture.ts";
import { createRecorder } from "./capture/recorder.ts";
import { createClientContext } from "./client-context.ts";
import { type Config, ConfigError } from "./config.ts";
import { setWarningListener } from "./log.ts";
import { createLineTransport } from "./protocol/line-transport.ts";
import { createVersionedTransport } from "./protocol/versioned-transport.ts";
import { createMcpProtocolServer } from "./server.ts";

/** Time limit, in ms, for sending recorded tool calls after the last response. The process then exits. */
const GRACE_MS = 700;
/**
 * Delay, in ms, before the server loads the modules that the first tool call needs. The handshake is then complete, and
 * the first call has probably not arrived yet.
 */
const PRELOAD_MS = 300;

/**
 * Serves one client over stdin and stdout, with the keys from the environment variables. When stdin ends, the server
 * responds to every request that was read, and then the process exits.
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
  const capture =
    recorder && ingestKey ? createToolCallCapture(recorder, { key: ingestKey, sessionId: uuidv7() }) : undefined;
  const client = createClientContext(config, { apiKey, ingestKey, selection: config.allowedTools, capture });
  const lines = createLineTransport(process.stdin, process.stdout);
  const transport = createVersionedTransport(lines);
  const server = createMcpProtocolServer(client);
  server.onerror = (error) => process.stderr.write(`trackway-mcp: ${error.message}\n`);
  await server.connect(transport);
  setWarningListener(
    (data) => void server.sendLoggingMessage({ level: "warning", logger: "trackway", data }).catch(() => {}),
  );
  setTimeout(loadGraphqlLibrary, PRELOAD_MS).unref();
  // The client exited without closing stdin.
  process.stdout.on("error", () => process.exit(0));
  await lines.ended;
  await transport.idle();
  const deadline = AbortSignal.timeout(GRACE_MS);
  deadline.addEventListener("abort", () => process.exit(0), { once: true });
  await recorder?.close(deadline);
  process.stdout.write("", () => process.exit(0));
}
