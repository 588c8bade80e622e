import { createHash } from "node:crypto";
import { isUuid } from "../../id.ts";

/** UUIDv5 of a name in the namespace of a UUID. */
export function uuid5(namespace: string, name: string): string {
  const hash = createHash("sha1")
    .update(Buffer.from(namespace.replaceAll("-", ""), "hex"))
    .update(name)
    .digest()
    .subarray(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A session under its own id where that is a UUID, else under one made of its spelling. */
export const sessionIdOf = (organizationId: string, source: string, spelled: string): string =>
  isUuid(spelled) ? spelled.toLowerCase() : uuid5(organizationId, source + spelled);

/** A turn under the agent's own id where that is a UUID, else under one of its session. */
export const turnIdOf = (sessionId: string, spelled: string): string =>
  isUuid(spelled) ? spelled.toLowerCase() : uuid5(sessionId, spelled);

/** A tool call, a model call or a subagent of a session. */
export const callIdOf = (sessionId: string, spelled: string): string => uuid5(sessionId, spelled);
