import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";

const ids = new WeakMap<ServerResponse, string>();

/** Gives a request the id that its answer carries, and that its lines in the log carry. */
export function giveRequestId(response: ServerResponse): string {
  const id = randomUUID();
  ids.set(response, id);
  return id;
}

/** The id a request was given; empty for none. */
export const requestIdOf = (response: ServerResponse): string => ids.get(response) ?? "";
