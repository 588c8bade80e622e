import { randomUUID } from "node:crypto";
import type { GraphQLClient } from "graphql-request";
import { keepAliveFetch } from "./fetch.ts";
import { toToolError } from "./tool-error.ts";

/** Sends one document of `documents/`; rejects with a ToolError the model can act on. */
export type GraphqlClient = <Data>(document: string, variables?: Record<string, unknown>) => Promise<Data>;

interface GraphqlOptions {
  /** Trackway's address. */
  url: string;
  /** The caller's personal key, or a token that OAuth gave their program. */
  key: string;
  signal: AbortSignal;
  /** Is called for an answer that may lack what was recorded in the last moments. */
  onBehind?: () => void;
}

let library: Promise<typeof import("graphql-request")> | undefined;

/** Loads graphql-request, once. With graphql it takes long, so stdio loads it after its first answer. */
export function loadGraphqlClient(): Promise<typeof import("graphql-request")> {
  library ??= import("graphql-request");
  return library;
}

/** A client of POST /graphql in the name of one key. */
export function createGraphqlClient(options: GraphqlOptions): GraphqlClient {
  let client: Promise<GraphQLClient> | undefined;
  return async <Data>(document: string, variables: Record<string, unknown> = {}) => {
    client ??= connect(options);
    const to = await client;
    // The key lets a mutation be sent again after a broken connection without being done twice.
    const requestHeaders = document.startsWith("mutation") ? { "idempotency-key": randomUUID() } : {};
    const send = () => to.rawRequest<Data>({ query: document, variables, requestHeaders });
    try {
      const { data, extensions } = await send().catch((error: unknown) => {
        if (isBroken(error) && !options.signal.aborted) return send();
        throw error;
      });
      if ((extensions as { behind?: boolean } | undefined)?.behind) options.onBehind?.();
      return data;
    } catch (error) {
      throw toToolError(error, options.url);
    }
  };
}

async function connect({ url, key, signal }: GraphqlOptions): Promise<GraphQLClient> {
  const { GraphQLClient } = await loadGraphqlClient();
  return new GraphQLClient(`${url}/graphql`, {
    headers: { authorization: `Bearer ${key}` },
    // Without an operation name the client need not parse the document again for every call.
    excludeOperationName: true,
    fetch: keepAliveFetch as unknown as typeof fetch,
    signal,
  });
}

/** True if the connection broke under the request, as it does when the server closes one that was idle. */
function isBroken(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === "ECONNRESET" || code === "EPIPE";
}
