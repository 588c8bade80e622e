import { once } from "node:events";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { uuidv7 } from "uuidv7";
import { loadGraphqlClient } from "./api/graphql.ts";
import { createCapture } from "./capture/capture.ts";
import { createRecorder } from "./capture/recorder.ts";
import { createClientContext } from "./client-context.ts";
import { type Config, ConfigError } from "./config.ts";
import { onWarning } from "./log.ts";
import { versionedTransport } from "./protocol/versioned-transport.ts";
import { createServer } from "./server.ts";

/** The time, in ms, for requests under way once stdin has ended. */
const GRACE_MS = 700;
/** When to load what the first call needs: after the handshake, and likely before the call, ms. */
const PRELOAD_MS = 300;

/** Serves one client, with the keys of the environment, over stdin and stdout until stdin ends. */
export async function serveStdio(config: Config): Promise<void> {
  const { apiKey, ingestKey, url } = config;
  if (apiKey === undefined) {
    throw new ConfigError(
      "TRACKER_API_KEY is required: create a key with POST /api/api-keys, or take the first start's",
    );
  }
  if (config.capture && ingestKey === undefined) {
    throw new ConfigError("TRACKER_INGEST_KEY is required with --capture: create a key with POST /api/ingest-keys");
  }
  const recorder = config.capture ? createRecorder(url) : undefined;
  const capture = recorder && ingestKey ? createCapture(recorder, { key: ingestKey, sessionId: uuidv7() }) : undefined;
  const client = createClientContext(config, { apiKey, ingestKey, selection: config.allowedTools, capture });
  const transport = versionedTransport(new StdioServerTransport());
  const server = createServer(client);
  await server.connect(transport);
  onWarning((data) => void server.sendLoggingMessage({ level: "warning", logger: "trackway", data }).catch(() => {}));
  setTimeout(loadGraphqlClient, PRELOAD_MS).unref();
  // The client went away without closing stdin.
  process.stdout.on("error", () => process.exit(0));
  await Promise.race([once(process.stdin, "end"), once(process.stdin, "close")]).catch(() => {});
  const deadline = AbortSignal.timeout(GRACE_MS);
  deadline.addEventListener("abort", () => process.exit(0), { once: true });
  await transport.idle();
  await recorder?.close(deadline);
  process.stdout.write("", () => process.exit(0));
}
