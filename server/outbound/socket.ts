import { connect, isIP, type Socket } from "node:net";
import { isPublicAddress } from "./address.ts";
import { publicLookup, refused } from "./connector.ts";

/** The longest time until a connection stands, in ms. */
const CONNECT_MS = 8_000;

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
