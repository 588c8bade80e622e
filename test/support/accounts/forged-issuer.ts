import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { CLIENT } from "./oidc.ts";

type Claims = Record<string, unknown>;

/** An answer that is sent as it is. */
export type Raw = (response: ServerResponse, request: IncomingMessage) => void;

/** A provider whose every answer a test can spoil. */
export interface ForgedIssuer {
  issuer: string;
  /** Replaces members of the metadata. */
  metadata: Claims;
  /** The claims of the next ID token beside the usual ones; undefined removes one. */
  claims: Claims;
  /** Replaces the next ID token by one made of its claims. */
  idToken: ((claims: Claims) => Promise<string> | string) | undefined;
  /** Replaces the answer at a path. */
  pages: Map<string, Raw>;
  /** Keys that are published. */
  keys: JWK[];
  /** Forms that the token endpoint got. */
  asked: URLSearchParams[];
  sign(claims: Claims, header?: Claims): Promise<string>;
  /** Signs by a new key from now on, and publishes that alone. Answers the way to sign by the former one. */
  rotate(): Promise<ForgedIssuer["sign"]>;
  /** Forgets what a test spoiled. */
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

/** Starts a provider that answers as it should until it is spoiled. A code is the nonce that it was asked with. */
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

/** The claims of a person who may sign in. */
const standing = ({ issuer }: ForgedIssuer, nonce: string): Claims => {
  const now = Math.floor(Date.now() / 1000);
  return {
    ...{ iss: issuer, aud: CLIENT.clientId, sub: "mallory", nonce, iat: now, exp: now + 300 },
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

/** The provider's answer to a browser that comes with this address: a code, and what came with it. */
export function answerOf(
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
