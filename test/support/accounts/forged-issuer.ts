import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { OIDC_CLIENT } from "./oidc.ts";

type Claims = Record<string, unknown>;

/** Handler that writes a response itself. */
export type RawHandler = (response: ServerResponse, request: IncomingMessage) => void;

/** OpenID provider on loopback. A test can falsify each of the provider's responses. */
export interface ForgedIssuer {
  issuer: string;
  /** Replaces members of the discovery metadata. */
  metadata: Claims;
  /** Claims that are added to the next ID token; undefined removes a claim. */
  claims: Claims;
  /** Builds the next ID token from the token's claims. */
  idToken: ((claims: Claims) => Promise<string> | string) | undefined;
  /** Replaces the response at a path. */
  pages: Map<string, RawHandler>;
  /** Published keys. */
  keys: JWK[];
  /** Forms that the token endpoint received. */
  asked: URLSearchParams[];
  sign(claims: Claims, header?: Claims): Promise<string>;
  /**
   * Rotates the signing key: creates a new key and publishes only the new key. Returns a function that signs with the
   * old key.
   */
  rotate(): Promise<ForgedIssuer["sign"]>;
  /** Restores the correct responses. */
  reset(): void;
  close(): void;
}

interface Key {
  privateKey: CryptoKey;
  jwk: JWK;
}

const signBy = ({ privateKey, jwk }: Key, claims: Claims, header: Claims = {}): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: String(jwk.kid), ...header }).sign(privateKey);

let made = 0;
async function newKey(): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: `key-${made++}`, alg: "RS256", use: "sig" } };
}

/**
 * Starts a provider that responds correctly until a test falsifies a response. The authorization code is the
 * request's nonce.
 */
export async function startForgedIssuer(): Promise<ForgedIssuer> {
  let key = await newKey();
  const server = createServer((request, response) => void answer(forged, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const forged: ForgedIssuer = {
    ...{ issuer, metadata: {}, claims: {}, idToken: undefined, pages: new Map(), keys: [key.jwk], asked: [] },
    sign: (claims, header) => signBy(key, claims, header),
    async rotate() {
      const former = key;
      key = await newKey();
      forged.keys = [key.jwk];
      return (claims, header) => signBy(former, claims, header);
    },
    reset() {
      Object.assign(forged, { metadata: {}, claims: {}, idToken: undefined, asked: [] });
      forged.pages.clear();
    },
    close: () => server.close().closeAllConnections(),
  };
  return forged;
}

const json = (response: ServerResponse, value: unknown, status = 200) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

async function answer(forged: ForgedIssuer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  const spoiled = forged.pages.get(path);
  if (spoiled) return spoiled(response, request);
  if (path === "/.well-known/openid-configuration") return json(response, metadataOf(forged));
  if (path === "/jwks") return json(response, { keys: forged.keys });
  if (path === "/token") return answerToken(forged, request, response);
  if (path === "/userinfo") return json(response, { ...standing(forged, ""), ...forged.claims });
  return json(response, { error: "not_found" }, 404);
}

const metadataOf = ({ issuer, metadata }: ForgedIssuer) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  authorization_response_iss_parameter_supported: true,
  ...metadata,
});

/** Returns the claims of a user who may sign in. */
const standing = ({ issuer }: ForgedIssuer, nonce: string): Claims => {
  const now = Math.floor(Date.now() / 1000);
  return {
    ...{ iss: issuer, aud: OIDC_CLIENT.clientId, sub: "mallory", nonce, iat: now, exp: now + 300 },
    ...{ email: "mallory@corp.example", email_verified: true, name: "Mallory" },
  };
};

async function answerToken(forged: ForgedIssuer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams(await text(request));
  forged.asked.push(form);
  const claims = { ...standing(forged, form.get("code") ?? ""), ...forged.claims };
  const idToken = await (forged.idToken ?? forged.sign)(JSON.parse(JSON.stringify(claims)));
  json(response, { access_token: "an access token", token_type: "Bearer", expires_in: 60, id_token: idToken });
}

/** Returns the callback URL to which the provider redirects the browser, with the code, the state and the issuer. */
export function buildCallbackUrl(
  { issuer }: ForgedIssuer,
  redirect: string,
  more: Record<string, string | undefined> = {},
): URL {
  const { searchParams } = new URL(redirect);
  const back = new URL(searchParams.get("redirect_uri") ?? "");
  const answer = { code: searchParams.get("nonce"), state: searchParams.get("state"), iss: issuer, ...more };
  for (const [name, value] of Object.entries(answer)) if (value != null) back.searchParams.set(name, value);
  return back;
}
