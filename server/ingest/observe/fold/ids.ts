import { createHash, hash } from "node:crypto";
import { isUuid } from "../../../../formats/uuid.ts";

/** Bytes of a namespace, and of a name that is hashed in the room that is there. */
const NAMESPACE = 16;
const SHORT = 1_024;
const room = Buffer.allocUnsafe(NAMESPACE + 3 * SHORT);
/** The namespace whose bytes the buffer begins with: most names come one after the other in one namespace. */
let begun = "";

/** UUIDv5 of a name in the namespace of a UUID. */
export function uuid5(namespace: string, name: string): string {
  if (namespace !== begun) room.write(namespace.replaceAll("-", ""), 0, NAMESPACE, "hex");
  begun = namespace;
  if (name.length > SHORT) return spelled(createHash("sha1").update(viewOf(NAMESPACE)).update(name).digest("hex"));
  return spelled(hash("sha1", viewOf(NAMESPACE + room.write(name, NAMESPACE)), "hex"));
}

const pattern = Buffer.from("00000000-0000-5000-0000-000000000000");
/** The places of a hash's digits in a UUID, and the places of its version and its variant. */
const PLACES = Uint8Array.from([...pattern.keys()].filter((at) => pattern[at] !== "-".charCodeAt(0)));
const [VERSION, FIVE] = [14, "5".charCodeAt(0)];
const [VARIANT, VARIANTS] = [19, Buffer.from("89ab")];

/** Digit by digit: a text that is put together from pieces takes several times the memory. */
function spelled(hex: string): string {
  for (let at = 0; at < PLACES.length; at += 1) pattern[PLACES[at] ?? 0] = hex.charCodeAt(at);
  pattern[VERSION] = FIVE;
  pattern[VARIANT] = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3] ?? 0;
  return pattern.toString("latin1");
}

/** Names have similar lengths, and making a view takes as long as hashing it. */
const views: Buffer[] = [];
const viewOf = (end: number): Buffer => (views[end] ??= room.subarray(0, end));

/** A session under its own id where that is a UUID, else under one made of its spelling. */
export function sessionIdOf(organizationId: string, source: string, spelled: string): string {
  // Observations of a session mostly come one after the other, and identical strings compare faster than equal ones.
  if (spelled !== last.spelled || source !== last.source || organizationId !== last.organizationId) {
    const id = isUuid(spelled) ? spelled.toLowerCase() : uuid5(organizationId, source + spelled);
    last = { organizationId, source, spelled, id };
  }
  return last.id;
}

let last = { organizationId: "", source: "", spelled: "", id: "" };

/** A turn under the agent's own id where that is a UUID, else under one of its session. */
export const turnIdOf = (sessionId: string, spelled: string): string =>
  isUuid(spelled) ? spelled.toLowerCase() : uuid5(sessionId, spelled);

/** A tool call, a model call or a subagent of a session. */
export const callIdOf = (sessionId: string, spelled: string): string => uuid5(sessionId, spelled);
