import { type JSONRPCRequest, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";

/** The version without a handshake: every request states its version and the client's capabilities itself. */
export const VERSION_2026 = "2026-07-28";

/** Every version served, newest first. */
export const SUPPORTED_VERSIONS = [
  VERSION_2026,
  ...SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version >= "2024-11-05"),
];

/** The names the protocol reserves in `_meta`. */
export const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  server: "io.modelcontextprotocol/serverInfo",
  subscription: "io.modelcontextprotocol/subscriptionId",
} as const;

/** The version a request claims for itself; nothing when it belongs to a version with a handshake. */
export function claimedVersion({ params }: Pick<JSONRPCRequest, "params">): string | undefined {
  const claim = params?._meta?.[META.version];
  if (claim === undefined) return undefined;
  const version = String(claim);
  return version !== VERSION_2026 && SUPPORTED_VERSIONS.includes(version) ? undefined : version;
}
