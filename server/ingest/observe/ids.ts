import { hash } from "node:crypto";
import { isUuid } from "../../id.ts";

/** Bytes of a namespace, and of a name that is hashed in the room that is there. */
const NAMESPACE = 16;
const SHORT = 1_024;
const room = Buffer.allocUnsafe(NAMESPACE + 3 * SHORT);

/** UUIDv5 of a name in the namespace of a UUID. */
export function uuid5(namespace: string, name: string): string {
  const bytes = name.length <= SHORT ? room : Buffer.allocUnsafe(NAMESPACE + 3 * name.length);
  bytes.write(namespace.replaceAll("-", ""), 0, NAMESPACE, "hex");
  const end = NAMESPACE + bytes.write(name, NAMESPACE);
  const hex = hash("sha1", viewOf(bytes, end), "hex");
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const VARIANTS = "89ab";

/** Most names are of a few lengths, and making a view takes as long as hashing it. */
const views: Buffer[] = [];
function viewOf(bytes: Buffer, end: number): Buffer {
  const view = bytes === room ? views[end] : undefined;
  if (view) return view;
  const made = bytes.subarray(0, end);
  if (bytes === room) views[end] = made;
  return made;
}

/** A session under its own id where that is a UUID, else under one made of its spelling. */
export const sessionIdOf = (organizationId: string, source: string, spelled: string): string =>
  isUuid(spelled) ? spelled.toLowerCase() : uuid5(organizationId, source + spelled);

/** A turn under the agent's own id where that is a UUID, else under one of its session. */
export const turnIdOf = (sessionId: string, spelled: string): string =>
  isUuid(spelled) ? spelled.toLowerCase() : uuid5(sessionId, spelled);

/** A tool call, a model call or a subagent of a session. */
export const callIdOf = (sessionId: string, spelled: string): string => uuid5(sessionId, spelled);
