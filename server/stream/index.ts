import type { IncomingMessage, Server } from "node:http";
import type { Runtime } from "../runtime.ts";
import { createFeed } from "./feed.ts";
import { startNotices } from "./notices/notices.ts";
import { startRealtime } from "./realtime/realtime.ts";
import { startWebhooks } from "./webhooks/webhooks.ts";

export interface Stream {
  /**
   * Closes every socket with a reason. Waits for deliveries in flight for a limited time, then releases their claims.
   */
  close(): Promise<void>;
}

/** Starts the outgoing streams: realtime on the server's port, webhooks, and notices by owners' rules. */
export function startStream(runtime: Runtime, server: Server): Stream {
  const feed = createFeed(runtime);
  const realtime = startRealtime(runtime, server, feed);
  const webhooks = startWebhooks(runtime);
  const notices = startNotices(runtime);
  return {
    async close() {
      realtime.close();
      feed.close();
      await Promise.all([webhooks.close(), notices.close()]);
    },
  };
}

/** True when a request asks for a WebSocket at the path of socket.io. */
export const isSocketUpgrade = ({ headers, url }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === "websocket" && url?.startsWith("/socket.io/") === true;
