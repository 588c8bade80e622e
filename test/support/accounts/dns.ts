import { createSocket } from "node:dgram";
import { getServers, setServers } from "node:dns";

const TYPES: Record<number, "A" | "AAAA"> = { 1: "A", 28: "AAAA" };

/** Addresses of each name by record type. A name that is missing here does not exist. */
export type DnsZone = Record<string, () => { A?: string[]; AAAA?: string[] }>;

/**
 * Starts a name server on loopback and makes the resolver of this process use the server.
 * @returns a function that restores the resolver.
 */
export async function startNameServer(zone: DnsZone): Promise<() => void> {
  const before = getServers();
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => socket.send(answer(query, zone), port, address));
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  setServers([`127.0.0.1:${socket.address().port}`]);
  return () => {
    setServers(before);
    socket.close();
  };
}

/** Builds the response to a query with one question (RFC 1035 §4). */
function answer(query: Buffer, zone: DnsZone): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = query.subarray(12, at + 5);
  const type = TYPES[query.readUInt16BE(at + 1)];
  const known = zone[labels.join(".").toLowerCase()]?.();
  const records = (type && known?.[type]) ?? [];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(records.length, 6);
  header.fill(0, 8, 12);
  return Buffer.concat([header, question, ...records.map((address) => record(question, address))]);
}

function record(question: Buffer, address: string): Buffer {
  const data = address.includes(":") ? bytes6(address) : Buffer.from(address.split(".").map(Number));
  const head = Buffer.alloc(12);
  // A pointer to the question's name, the type, the class, and a time to live of 0.
  head.writeUInt16BE(0xc00c, 0);
  question.copy(head, 2, question.length - 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function bytes6(address: string): Buffer {
  const [head = "", tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string) => (text ? text.split(":").map((group) => Number.parseInt(group, 16)) : []);
  const [first, last] = [groups(head), groups(tail)];
  const all = [...first, ...Array(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}
