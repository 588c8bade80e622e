import { isIPv4, isIPv6 } from "node:net";

/**
 * IP address of a host without port and zone: the eight groups of an IPv6 address, or the dotted form of an IPv4
 * address. The parser converts other notations to one of these two forms.
 */
type Address = { family: 4; text: string } | { family: 6; groups: readonly number[] };

/**
 * Parses an IP address in any form that sockets and proxies write: bare, with a port (`ip:port`, `[v6]:port`), with a
 * zone (`fe80::1%eth0`), in the quotes of a `Forwarded` header, or IPv4 mapped into IPv6 (decimal or hexadecimal).
 * @returns undefined for text that is not an address
 */
function parseAddress(text: string): Address | undefined {
  const bare = text.trim().replace(/^"(.*)"$/, "$1");
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(bare) ?? [];
  if (bracketed !== undefined) return parseIPv6(bracketed);
  // The last part of an IPv6 address without brackets counts as a port only if the whole text is not an address.
  return parsePlain(bare) ?? parsePlain(bare.replace(/:\d{1,5}$/, ""));
}

const parsePlain = (text: string): Address | undefined => (isIPv4(text) ? { family: 4, text } : parseIPv6(text));

function parseIPv6(text: string): Address | undefined {
  const [address = ""] = text.split("%", 1);
  if (!isIPv6(address)) return undefined;
  const groups = groupsOf(address);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return mapped ? { family: 4, text: dotted(groups.slice(6)) } : { family: 6, groups };
}

/** Returns the eight groups of an IPv6 address. The address must have no zone and no port. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const [before, after] = [head, tail ?? ""].map((half) => half.split(":").filter(Boolean).flatMap(numbersOf));
  const zeros = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0);
  return [...(before ?? []), ...Array<number>(zeros).fill(0), ...(after ?? [])];
}

/**
 * Returns the groups of one part of an IPv6 address. The last part may be a dotted IPv4 address, which stands for two
 * groups.
 */
function numbersOf(part: string): number[] {
  if (!part.includes(".")) return [Number.parseInt(part, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}

const dotted = (groups: readonly number[]): string => groups.flatMap((group) => [group >> 8, group & 255]).join(".");

/**
 * Returns the network that one host typically controls: the IPv4 address, or the first 64 bits of the IPv6 address.
 * @returns undefined for text that is not an address
 */
export function toIpNetwork(text: string): string | undefined {
  const address = parseAddress(text);
  if (address?.family !== 6) return address?.text;
  return `${address.groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}
