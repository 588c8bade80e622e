import dns from "node:dns/promises";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector } from "undici";
import { isPublicAddress } from "./address.ts";

/** Error for a target to which the server must not send deliveries. */
export class TargetRefusedError extends Error {}

/** Maximum time to connect, including name resolution and TLS, in ms. */
const CONNECT_MS = 8_000;

/**
 * Creates a connector that connects only to public addresses, unless `allowPrivate` is set. An address in the URL is
 * checked directly, a host name when it is resolved. The connection uses the checked addresses, so a later change of
 * the name's addresses has no effect (docs/webhooks.md).
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
 * Resolves a name with the DNS directly. `getaddrinfo` would block one of the process's few threads while a name server
 * does not respond, and the hosts file contains no public receivers.
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

/** Returns all addresses of a name, IPv4 first. @throws TargetRefusedError when any address is private */
async function addressesOf(hostname: string): Promise<{ address: string; family: number }[]> {
  const found = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
  const addresses = found.flatMap((result, at) =>
    result.status === "fulfilled" ? result.value.map((address) => ({ address, family: at === 0 ? 4 : 6 })) : [],
  );
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw refused();
  return addresses;
}

/** Error for a target with a private address. */
const refused = () => new TargetRefusedError("the target is not a public address");

/**
 * Opens a TCP connection to a host. Connects only to public addresses unless `allowPrivate` is set, by the rules of
 * `targetConnector`.
 * @throws TargetRefusedError for a private address; otherwise the error of the network
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
