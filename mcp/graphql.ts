import { randomUUID } from "node:crypto";
import { GraphQLClient } from "graphql-request";
import { apiFetch } from "./api-fetch.ts";
import { explain } from "./explain.ts";

/** Sends one document of `documents/`; rejects with a ToolError the model can act on. */
export type Graphql = <Data>(document: string, variables?: Record<string, unknown>) => Promise<Data>;

interface Access {
  /** Where Trackway answers. */
  url: string;
  /** The caller's personal key, sent raw (source-tracker §5). */
  key: string;
  signal: AbortSignal;
}

/** The data plane in the name of one key. */
export function graphqlFor({ url, key, signal }: Access): Graphql {
  const client = new GraphQLClient(`${url}/graphql`, {
    headers: { authorization: key },
    // Without an operation name the client need not parse the document again for every call.
    excludeOperationName: true,
    fetch: apiFetch as unknown as typeof fetch,
    signal,
  });
  return async <Data>(document: string, variables: Record<string, unknown> = {}) => {
    // The key lets a mutation be sent again after a broken connection without being done twice.
    const headers = document.startsWith("mutation") ? { "idempotency-key": randomUUID() } : {};
    const send = () => client.request<Data>({ document, variables, requestHeaders: headers });
    try {
      return await send().catch((error: unknown) => {
        if (isBroken(error) && !signal.aborted) return send();
        throw error;
      });
    } catch (error) {
      throw explain(error, url);
    }
  };
}

/** A connection that broke under the request, as happens when the server closed it while it was idle. */
function isBroken(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === "ECONNRESET" || code === "EPIPE";
}
