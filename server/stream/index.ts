import type { IncomingMessage, Server } from "node:http";
import type { Runtime } from "../runtime.ts";
import { createChangeFeed } from "./feed.ts";
import { startNoticeRuleWatcher } from "./notices/notices.ts";
import { startRealtime } from "./realtime/realtime.ts";
import { startDeliverySender } from "./webhooks/webhooks.ts";

export interface OutgoingStreams {
  /**
   * Closes every socket with a reason. Waits for deliveries in flight for a limited time, then releases their claims.
   */
  close(): Promise<void>;
}

/** Starts the outgoing streams: realtime on the server's port, webhooks, and notices by owners' rules. */
export function startOutgoingStreams(runtime: Runtime, server: Server): OutgoingStreams {
  const feed = createChangeFeed(runtime);
  const realtime = startRealtime(runtime, server, feed);
  const webhooks = startDeliverySender(runtime);
  const notices = startNoticeRuleWatcher(runtime);
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
