import { setTimeout as sleep } from "node:timers/promises";
import { io } from "socket.io-client";
import { sendGraphQL } from "../../test/support/server.ts";

/** A follower of the log, with the change numbers in the order received. */
export interface Follower {
  name: string;
  seen: number[];
  /** Deliveries that should never have arrived. */
  complaints: string[];
  stop(): void;
}

/** A stock client that reconnects by itself and resumes after the last change seen. */
export function followRealtime(name: string, url: string, token: string): Follower {
  const follower: Follower = { name, seen: [], complaints: [], stop: () => void socket.disconnect() };
  const socket = io(url, {
    transports: ["websocket"],
    reconnectionDelay: 100,
    reconnectionDelayMax: 300,
    auth: (give) => give({ token, lastSyncId: follower.seen.at(-1) ?? 0 }),
  });
  socket.onAny((_event, envelope) => follower.seen.push(envelope.lastSyncId));
  socket.on("connect_error", (error) => {
    if ("data" in error && error.data) follower.complaints.push(JSON.stringify(error.data));
  });
  return follower;
}

/** A client that repeatedly queries `changes` on any server that responds. */
export function followQuery(urls: readonly string[], token: string): Follower {
  let stopped = false;
  const stop = () => {
    stopped = true;
  };
  const follower: Follower = { name: "changes", seen: [], complaints: [], stop };
  const query = "query ($after: SyncCursor) { changes(after: $after, first: 250) { nodes { lastSyncId } } }";
  const ask = async (url: string) => {
    const { data, errors } = await sendGraphQL(url, token, { query, variables: { after: follower.seen.at(-1) ?? 0 } });
    if (errors?.some(({ extensions }) => extensions.code === "SYNC_GAP")) follower.complaints.push("SYNC_GAP");
    for (const { lastSyncId } of data?.changes.nodes ?? []) follower.seen.push(lastSyncId);
  };
  const follow = async () => {
    for (let turn = 0; !stopped; turn += 1) {
      await ask(urls[turn % urls.length] ?? "").catch(() => {});
      await sleep(50);
    }
  };
  void follow();
  return follower;
}
