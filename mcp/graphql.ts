import { randomUUID } from "node:crypto";
import { ClientError, GraphQLClient } from "graphql-request";
import { explain } from "./explain.ts";

/** Sends one document of `documents/`; rejects with a ToolError the model can act on. */
export type Graphql = <Data>(document: string, variables?: Record<string, unknown>) => Promise<Data>;

/** Longer than the server's own 15 s, so that its answer comes first. */
const DEADLINE_MS = 20_000;

interface Access {
  /** Where Trackway answers. */
  url: string;
  /** The caller's personal key, sent raw (source-tracker §5). */
  key: string;
  signal: AbortSignal;
}

/** The data plane in the name of one key. */
export function graphqlFor({ url, key, signal }: Access): Graphql {
  // Without an operation name the client need not parse the document again for every call.
  const client = new GraphQLClient(`${url}/graphql`, { headers: { authorization: key }, excludeOperationName: true });
  return async <Data>(document: string, variables: Record<string, unknown> = {}) => {
    // The key lets a mutation be sent again after a broken connection without being done twice.
    const headers = document.startsWith("mutation") ? { "idempotency-key": randomUUID() } : {};
    const send = () =>
      client.request<Data>({
        document,
        variables,
        requestHeaders: headers,
        signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
      });
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
  if (error instanceof ClientError || !(error instanceof TypeError)) return false;
  const code = (error.cause as { code?: string } | undefined)?.code;
  return code === "ECONNRESET" || code === "UND_ERR_SOCKET" || code === "EPIPE";
}
