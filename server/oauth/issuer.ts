import { SCOPES } from "../auth/principal.ts";
import type { Config } from "../config.ts";
import type { Runtime } from "../runtime.ts";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** True for the names of this computer alone, as URLs have them. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.includes(hostname);

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
  const local = isLoopback(hostname);
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
  (config.OAUTH_CLIENT_DOCUMENTS ?? (isLoopback(new URL(publicUrl).hostname) ? "off" : "on")) === "on";

/** The MCP server beside this one, under every name of loopback: people paste any of them. */
function mcpAddresses({ MCP_PUBLIC_URL, MCP_PORT }: Config, origin: string, local: boolean): string[] {
  const beside = local && MCP_PORT > 0 ? LOOPBACK.map((host) => `http://${host}:${MCP_PORT}/mcp`) : [];
  return [...MCP_PUBLIC_URL, ...beside, `${origin}/mcp`];
}

/** The path of each endpoint, under the issuer. */
export const PATHS = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  introspect: "/oauth/introspect",
} as const;

/** The authorization server as RFC 8414 has it. */
export const serverMetadata = ({ url }: Issuer, runtime: Runtime) => ({
  issuer: url,
  authorization_endpoint: url + PATHS.authorize,
  token_endpoint: url + PATHS.token,
  revocation_endpoint: url + PATHS.revoke,
  introspection_endpoint: url + PATHS.introspect,
  ...(runtime.config.OAUTH_REGISTRATION === "on" && { registration_endpoint: url + PATHS.register }),
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  introspection_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  scopes_supported: SCOPES,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: takesDocuments(runtime),
});

/** The metadata of the protected resource, after RFC 9728. */
export const resourceMetadata = ({ url, resources }: Issuer) => ({
  resource: resources[0],
  authorization_servers: [url],
  scopes_supported: SCOPES,
  bearer_methods_supported: ["header"],
  resource_name: "Trackway",
});
