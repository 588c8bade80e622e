import * as client from "openid-client";
import { Agent, fetch } from "undici";
import { AppError } from "../../errors.ts";
import { TargetRefusedError, targetConnector } from "../../outbound/connector.ts";
import type { Runtime } from "../../runtime.ts";

/** Time limit for all requests of one sign-in together, in ms, and maximum bytes per response. */
const DEADLINE_MS = 10_000;
const MAX_BYTES = 512 * 1024;

/** Client registration of an organization at the organization's OpenID provider. */
export interface ProviderClientRegistration {
  issuer: string;
  clientId: string;
  secret: string;
}

/**
 * Connection to a provider whose metadata is loaded. Close the connection after use; otherwise connections to the
 * provider's host stay open.
 */
export interface ProviderConnection {
  provider: client.Configuration;
  /** Reads JSON from a URL of the provider. The time and size limits of the sign-in's other requests also apply. */
  readJson(url: string): Promise<unknown>;
  close(): void;
}

/**
 * An error at the provider or in its response. The message is for owners and the log, and contains no content of the
 * response.
 */
export class ProviderFailure extends Error {}

/** Returns true if an issuer URL is allowed: https, or http on loopback if private addresses are allowed. */
export function isIssuerUrl({ OAUTH_ALLOW_PRIVATE }: Runtime["config"], text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username || password) return false;
  return protocol === "https:" || (protocol === "http:" && OAUTH_ALLOW_PRIVATE === "on" && isLoopback(hostname));
}

const isLoopback = (host: string) => ["localhost", "127.0.0.1", "[::1]"].includes(host);

/**
 * Reads the provider's metadata. Each sign-in reads the metadata again, because sign-ins are rare and the provider
 * may have replaced its keys. Requests go only to public addresses, unless OAUTH_ALLOW_PRIVATE is on.
 * @throws ProviderFailure
 */
export async function connectToProvider(
  { config }: Runtime,
  { issuer, clientId, secret }: ProviderClientRegistration,
): Promise<ProviderConnection> {
  if (!isIssuerUrl(config, issuer)) throw new ProviderFailure("the issuer is not at an address that may be called");
  const dispatcher = new Agent({
    connect: targetConnector(config.OAUTH_ALLOW_PRIVATE === "on"),
    maxHeaderSize: 16 * 1024,
    pipelining: 0,
  });
  const send = boundedFetch(dispatcher, AbortSignal.timeout(DEADLINE_MS));
  const close = () => void dispatcher.destroy().catch(() => {});
  try {
    const provider = await client.discovery(
      new URL(issuer),
      clientId,
      { client_secret: secret },
      authentication(secret),
      {
        [client.customFetch]: send,
        execute: new URL(issuer).protocol === "http:" ? [client.allowInsecureRequests] : [],
      },
    );
    // Verifies the token's signature with the provider's published keys, although the token arrives over TLS.
    client.enableNonRepudiationChecks(provider);
    return { provider, close, readJson: async (url) => (await send(url, { method: "GET", headers: {} })).json() };
  } catch (error) {
    close();
    throw toProviderFailure(error);
  }
}

/**
 * Sends the client secret in the `Authorization` header, unless the provider accepts the secret only in the request
 * body.
 */
const authentication =
  (secret: string): client.ClientAuth =>
  (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const way = methods.includes("client_secret_basic") ? client.ClientSecretBasic : client.ClientSecretPost;
    way(secret)(server, ...rest);
  };

/** Returns a fetch function with a deadline, without redirects, and with a limit on the size of responses. */
function boundedFetch(dispatcher: Agent, deadline: AbortSignal) {
  return async (url: string, options: Partial<client.CustomFetchOptions>): Promise<Response> => {
    const { method = "GET", headers = {}, body } = options;
    const init = { method, headers, redirect: "manual", signal: deadline, dispatcher } as const;
    const answer = await fetch(url, { ...init, ...(body != null && { body: body as string }) });
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of answer.body ?? []) {
      bytes += piece.length;
      if (bytes > MAX_BYTES) throw new ProviderFailure(`an answer of the provider has more than ${MAX_BYTES} bytes`);
      pieces.push(piece);
    }
    const type = answer.headers.get("content-type");
    const content = answer.status === 204 || answer.status === 304 ? null : Buffer.concat(pieces);
    return new Response(content, { status: answer.status, headers: type ? { "content-type": type } : {} });
  };
}

/**
 * Converts a library's error into one sentence. The message contains no response of the provider, because responses
 * contain tokens and personal data.
 */
export function toProviderFailure(error: unknown): ProviderFailure | AppError {
  if (error instanceof ProviderFailure || error instanceof AppError) return error;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProviderFailure) return cause;
    if (cause instanceof TargetRefusedError) return new ProviderFailure("the provider is at no public address");
    if (cause.name === "TimeoutError") return new ProviderFailure("the provider did not answer in time");
  }
  if (error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError) {
    return new ProviderFailure(`the provider refused: ${plain(error.error)}`);
  }
  if (error instanceof Error) return new ProviderFailure(plain(error.message));
  throw error;
}

/** Reduces text from outside Trackway to one line of at most 200 characters. */
const plain = (text: string): string => text.replace(/[^\x20-\x7e]/g, " ").slice(0, 200);
