import { createHash, hash } from "node:crypto";
import { isUuid } from "../../../../formats/uuid.ts";

/**
 * NAMESPACE is the size of a namespace in bytes. SHORT is the maximum length, in characters, of a name that is hashed
 * in the shared buffer.
 */
const NAMESPACE = 16;
const SHORT = 1_024;
const room = Buffer.allocUnsafe(NAMESPACE + 3 * SHORT);
/** Namespace at the start of the shared buffer. Consecutive names usually share a namespace. */
let begun = "";

/** Returns the UUIDv5 of a name in the namespace of a UUID. */
export function uuid5(namespace: string, name: string): string {
  if (namespace !== begun) room.write(namespace.replaceAll("-", ""), 0, NAMESPACE, "hex");
  begun = namespace;
  if (name.length > SHORT) return spelled(createHash("sha1").update(viewOf(NAMESPACE)).update(name).digest("hex"));
  return spelled(hash("sha1", viewOf(NAMESPACE + room.write(name, NAMESPACE)), "hex"));
}

const pattern = Buffer.from("00000000-0000-5000-0000-000000000000");
/**
 * Positions in the text of a UUID at which the digits of the hash are written. The next two lines contain the positions
 * and values of the version and the variant.
 */
const PLACES = Uint8Array.from([...pattern.keys()].filter((at) => pattern[at] !== "-".charCodeAt(0)));
const [VERSION, FIVE] = [14, "5".charCodeAt(0)];
const [VARIANT, VARIANTS] = [19, Buffer.from("89ab")];

/** Copies digit by digit, because concatenating a string takes several times the memory. */
function spelled(hex: string): string {
  for (let at = 0; at < PLACES.length; at += 1) pattern[PLACES[at] ?? 0] = hex.charCodeAt(at);
  pattern[VERSION] = FIVE;
  pattern[VARIANT] = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3] ?? 0;
  return pattern.toString("latin1");
}

/**
 * Cache of views of the shared buffer, by length. Creating a view takes as long as hashing, and the lengths of names
 * repeat.
 */
const views: Buffer[] = [];
const viewOf = (end: number): Buffer => (views[end] ??= room.subarray(0, end));

/** Returns the id of a session: the sent id if that is a UUID, otherwise a UUID derived from the sent id. */
export function toSessionId(organizationId: string, source: string, spelled: string): string {
  // Caches the last session, because observations of the same session usually follow each other. Comparing a string
  // object with itself is faster than comparing two equal strings.
  if (spelled !== last.spelled || source !== last.source || organizationId !== last.organizationId) {
    const id = isUuid(spelled) ? spelled.toLowerCase() : uuid5(organizationId, source + spelled);
    last = { organizationId, source, spelled, id };
  }
  return last.id;
}

let last = { organizationId: "", source: "", spelled: "", id: "" };

/** Returns the id of a turn: the agent's id if that is a UUID, otherwise a UUID derived within the session. */
export const toTurnId = (sessionId: string, spelled: string): string =>
  isUuid(spelled) ? spelled.toLowerCase() : uuid5(sessionId, spelled);

/** Returns the id of a tool call, model call or subagent of a session. */
export const toCallId = (sessionId: string, spelled: string): string => uuid5(sessionId, spelled);
