import type { Config } from "../config.ts";
import type { Runtime } from "../runtime.ts";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** The address of the authorization server, and of the resources that its tokens open. */
export interface Issuer {
  /** The origin that is this authorization server. Never taken from a request's Host. */
  url: string;
  /** Addresses that tokens may be asked for. All of them lead to this one server; the first is the usual one. */
  resources: readonly string[];
}

/**
 * The authorization server of this process; undefined when it is off, or when it has no address of its own to name:
 * bound to every interface without PUBLIC_URL.
 */
export function issuerOf({ config, publicUrl }: Runtime): Issuer | undefined {
  const { hostname, origin } = new URL(publicUrl);
  const local = LOOPBACK.includes(hostname);
  if (config.OAUTH === "off" || !(config.PUBLIC_URL || local)) return undefined;
  return {
    url: origin,
    resources: [...mcpAddresses(config, origin, local), `${origin}/graphql`, origin, `${origin}/`],
  };
}

/**
 * True when programs may name the address of their description. A program that sees descriptions offered never
 * registers instead, and a server of one computer may have no way out to the internet: there they are off unless asked
 * for.
 */
export const takesDocuments = ({ config, publicUrl }: Pick<Runtime, "config" | "publicUrl">): boolean =>
  (config.OAUTH_CLIENT_DOCUMENTS ?? (LOOPBACK.includes(new URL(publicUrl).hostname) ? "off" : "on")) === "on";

/** The MCP server beside this one, under every name of loopback: people paste any of them. */
function mcpAddresses({ MCP_PUBLIC_URL, MCP_PORT }: Config, origin: string, local: boolean): string[] {
  const beside = local && MCP_PORT > 0 ? LOOPBACK.map((host) => `http://${host}:${MCP_PORT}/mcp`) : [];
  return [...MCP_PUBLIC_URL, ...beside, `${origin}/mcp`];
}
