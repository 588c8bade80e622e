import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** A transport for the messages of one POST: gathers what is sent until every request of it has its response. */
export function oneShot(): Transport & { deliver(messages: JSONRPCMessage[]): Promise<JSONRPCMessage[]> } {
  const sent: JSONRPCMessage[] = [];
  let awaited = 0;
  let finish = () => {};
  const transport: ReturnType<typeof oneShot> = {
    start: async () => {},
    async send(message) {
      sent.push(message);
      if ("id" in message && !("method" in message)) awaited -= 1;
      if (awaited === 0) finish();
    },
    async close() {
      transport.onclose?.();
      finish();
    },
    deliver: (messages) =>
      new Promise((resolve) => {
        finish = () => resolve(sent);
        awaited = messages.filter((message) => "id" in message && "method" in message).length;
        if (awaited === 0) finish();
        for (const message of messages) transport.onmessage?.(message);
      }),
  };
  return transport;
}
