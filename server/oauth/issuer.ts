import { isWildcardHost } from "../../formats/link.ts";
import { OAUTH_SCOPES } from "../auth/principal.ts";
import type { Config } from "../config.ts";
import type { Runtime } from "../runtime.ts";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** Returns true for host names of the loopback interface, as written in URLs. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.includes(hostname);

/** The URL of the authorization server, and the resources for which its tokens are valid. */
export interface Issuer {
  /** Origin of this authorization server. Never taken from a request's Host header. */
  url: string;
  /** Resources for which a client may request tokens. All are URLs of this server; the first is the default. */
  resources: readonly string[];
}

/**
 * Returns the authorization server of this process. Undefined if OAuth is off, or if the server has no URL of its
 * own: it listens on every interface and PUBLIC_URL is not set.
 */
export function findIssuer({ config, publicUrl }: Runtime): Issuer | undefined {
  const { hostname, origin } = new URL(publicUrl);
  const local = isLoopback(hostname) && isOwnMachine(config);
  if (config.OAUTH === "off" || !(config.PUBLIC_URL || local)) return undefined;
  return {
    url: origin,
    resources: [...mcpAddresses(config, origin, local), `${origin}/graphql`, origin, `${origin}/`],
  };
}

/**
 * Returns true if clients may use the URL of a metadata document as their id. The default is off for a server on a
 * personal computer, which may have no internet access to read the document. An app that sees this support would never
 * register instead.
 */
export const acceptsMetadataDocuments = ({ config, publicUrl }: Pick<Runtime, "config" | "publicUrl">): boolean =>
  (config.OAUTH_CLIENT_DOCUMENTS ??
    (isLoopback(new URL(publicUrl).hostname) && isOwnMachine(config) ? "off" : "on")) === "on";

/** False if URLs contain loopback only because the server listens on every interface and PUBLIC_URL is not set. */
const isOwnMachine = ({ PUBLIC_URL, HOST }: Config): boolean => PUBLIC_URL !== undefined || !isWildcardHost(HOST);

/** Returns the URLs of the MCP server, with every name of loopback, because users may enter any of the names. */
function mcpAddresses({ MCP_PUBLIC_URL, MCP_PORT }: Config, origin: string, local: boolean): string[] {
  const beside = local && MCP_PORT > 0 ? LOOPBACK.map((host) => `http://${host}:${MCP_PORT}/mcp`) : [];
  return [...MCP_PUBLIC_URL, ...beside, `${origin}/mcp`];
}

/** Paths of the endpoints, relative to the issuer. */
export const OAUTH_ENDPOINT_PATHS = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  introspect: "/oauth/introspect",
} as const;

/** Metadata of the authorization server (RFC 8414). */
export const serverMetadata = ({ url }: Issuer, runtime: Runtime) => ({
  issuer: url,
  authorization_endpoint: url + OAUTH_ENDPOINT_PATHS.authorize,
  token_endpoint: url + OAUTH_ENDPOINT_PATHS.token,
  revocation_endpoint: url + OAUTH_ENDPOINT_PATHS.revoke,
  introspection_endpoint: url + OAUTH_ENDPOINT_PATHS.introspect,
  ...(runtime.config.OAUTH_REGISTRATION !== "off" && { registration_endpoint: url + OAUTH_ENDPOINT_PATHS.register }),
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  introspection_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  scopes_supported: OAUTH_SCOPES,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: acceptsMetadataDocuments(runtime),
});

/** Metadata of the protected resource (RFC 9728). */
export const resourceMetadata = ({ url, resources }: Issuer) => ({
  resource: resources[0],
  authorization_servers: [url],
  scopes_supported: OAUTH_SCOPES,
  bearer_methods_supported: ["header"],
  resource_name: "Trackway",
});
