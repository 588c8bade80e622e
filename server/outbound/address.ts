import { BlockList, isIPv4 } from "node:net";

/**
 * IPv4 ranges outside the public internet: the IANA special-purpose registry, and a cloud metadata service that the
 * registry lacks.
 */
const NOT_PUBLIC_4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "168.63.129.16/32",
];

/** Public IPv6 is global unicast without the ranges for documentation and tunnels to IPv4 (Teredo, 6to4). */
const PUBLIC_6 = ["2000::/3"];
const NOT_PUBLIC_6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/**
 * NAT64 addresses contain an IPv4 address in their last 32 bits. IPv6-only networks reach public IPv4 hosts through
 * NAT64.
 */
const NAT64 = ["64:ff9b::/96"];

const list = (subnets: readonly string[], family: "ipv4" | "ipv6") => {
  const made = new BlockList();
  for (const subnet of subnets) {
    const [net = "", prefix] = subnet.split("/");
    made.addSubnet(net, Number(prefix), family);
  }
  return made;
};

const notPublic4 = list(NOT_PUBLIC_4, "ipv4");
const public6 = list(PUBLIC_6, "ipv6");
const notPublic6 = list(NOT_PUBLIC_6, "ipv6");
const nat64 = list(NAT64, "ipv6");

/** Returns true for an IP address of the public internet, in any notation that `net.isIP` accepts. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic4.check(address, "ipv4");
  // An address with a zone (`%`) is not public, because a zone names an interface of this machine.
  if (address.includes("%")) return false;
  if (nat64.check(address, "ipv6")) return isPublicAddress(embedded4(address));
  return public6.check(address, "ipv6") && !notPublic6.check(address, "ipv6");
}

/** Returns the IPv4 address in the last 32 bits of an IPv6 address. */
function embedded4(address: string): string {
  // The URL parser converts any notation to hexadecimal groups.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::").at(-1)?.split(":") ?? [];
  const [high = 0, low = 0] = [groups.at(-2), groups.at(-1)].map((group) => Number.parseInt(group || "0", 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
