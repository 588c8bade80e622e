import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { coding } from "../headers.ts";

/** What inflates the body of a request, by its Content-Encoding; undefined where it is sent as it is. */
export const inflaterOf = (request: IncomingMessage): Duplex | undefined => INFLATERS.get(coding(request))?.();

const INFLATERS = new Map<string, () => Duplex>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);
