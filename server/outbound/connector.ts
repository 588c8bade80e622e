import dns from "node:dns/promises";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector } from "undici";
import { isPublicAddress } from "./address.ts";

/** A target that deliveries are not sent to. */
export class TargetRefused extends Error {}

/** The longest time to make a connection, name look-up and TLS included, in ms. */
const CONNECT_MS = 8_000;

/**
 * Connects to public addresses alone, unless `allowPrivate`: an address that stands in the URL is checked as it is, a
 * name when it is looked up, and the connection goes to the addresses that were checked, so that a name that resolves
 * otherwise the next time changes nothing (docs/webhooks.md).
 */
export function targetConnector(allowPrivate: boolean): buildConnector.connector {
  if (allowPrivate) return buildConnector({ timeout: CONNECT_MS });
  const connect = buildConnector({ timeout: CONNECT_MS, lookup: publicLookup });
  return (options, callback) => {
    if (isIP(options.hostname) !== 0 && !isPublicAddress(options.hostname)) {
      callback(refused(), null);
    } else connect(options, callback);
  };
}

/**
 * Looks a name up in the DNS itself: `getaddrinfo` would occupy one of the process's few threads for as long as a dead
 * name server takes, and the hosts file names no public receivers.
 */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  addressesOf(hostname).then(
    (addresses) => {
      const [first] = addresses;
      if (!first) callback(Object.assign(new Error("the name does not resolve"), { code: "ENOTFOUND" }), "", 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    },
    (error) => callback(error, "", 0),
  );
};

/** Every address of a name, IPv4 first. @throws TargetRefused when one of them is not public. */
async function addressesOf(hostname: string): Promise<{ address: string; family: number }[]> {
  const found = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
  const addresses = found.flatMap((result, at) =>
    result.status === "fulfilled" ? result.value.map((address) => ({ address, family: at === 0 ? 4 : 6 })) : [],
  );
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw refused();
  return addresses;
}

/** The refusal of a target that is not public. */
const refused = () => new TargetRefused("the target is not a public address");

/**
 * Opens a TCP connection to a host, to public addresses alone unless `allowPrivate`; the rules are those of
 * `targetConnector`.
 * @throws TargetRefused for an address that is not public; the error of the network otherwise.
 */
export function connectTarget(host: string, port: number, allowPrivate: boolean): Promise<Socket> {
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) return Promise.reject(refused());
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ...(!allowPrivate && { lookup: publicLookup }) });
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const late = () => fail(Object.assign(new Error("no connection in time"), { code: "ETIMEDOUT" }));
    const timer = setTimeout(late, CONNECT_MS);
    socket.once("error", fail);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", fail);
      resolve(socket);
    });
    socket.once("close", () => clearTimeout(timer));
  });
}
