import { SCOPES } from "../auth/scopes.ts";
import type { Runtime } from "../runtime.ts";
import { type Issuer, takesDocuments } from "./issuer.ts";

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
