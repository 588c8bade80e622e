import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { targetConnector } from "../../server/outbound/connector.ts";
import { postDelivery } from "../../server/stream/webhooks/exchange.ts";

// Opens many exchanges with a receiver that never responds, as deliveries do. Prints the KB per exchange, of the heap
// and of memory outside the heap, after garbage collection (node --expose-gc).

const [, , url = "", count = "1"] = process.argv;
const dispatcher = new Agent({ connect: targetConnector(true), maxHeaderSize: 16 * 1024 });
const { signal } = new AbortController();
setMaxListeners(0, signal);

const weight = () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024;
};

const send = () => {
  const body = Buffer.from(JSON.stringify({ data: "x".repeat(2_000) }));
  return postDelivery(dispatcher, url, { headers: { "Content-Type": "application/json" }, body }, signal);
};

const stalled = (times: number) => Promise.all(Array.from({ length: times }, send));

await Promise.race([stalled(1), sleep(500)]);
const before = weight();
void stalled(Number(count));
await sleep(3_000);
process.stdout.write(String((weight() - before) / Number(count)));
process.exit();
