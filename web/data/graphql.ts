import { ApiError, unreachable } from "./api.ts";
import type { Document } from "./document.ts";
import { accessToken, refused } from "./session.ts";

interface GraphQLError {
  message: string;
  extensions?: { code?: string; field?: string; userPresentableMessage?: string };
}

/** Times that a request is sent again when it may help, and how long is waited before. */
const PAUSES_MS = [300, 1_500];
/** The longest pause that the server may ask for meanwhile: of a longer one the page says so. */
const LONGEST_MS = 2_000;

/**
 * Sends a document. What passes by itself is tried again, unless the server asks for a longer pause; a mutation is not, unless
 * it was never read.
 * @throws ApiError in the server's words
 */
export async function request<Result, Variables>(
  document: Document<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send(document, variables, signal);
    } catch (error) {
      const pause = PAUSES_MS[attempt];
      const again = error instanceof ApiError && error.passing && document.startsWith("query");
      if (!again || pause === undefined || error.retryAfterMs > LONGEST_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.max(pause, error.retryAfterMs)));
    }
  }
}

async function send<Result>(query: string, variables: unknown, signal: AbortSignal | undefined, again = true) {
  const token = await accessToken();
  const response = await fetch("/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
    ...(signal && { signal }),
  }).catch(unreachable);
  if (response.status === 401 && again) {
    refused(token);
    return send<Result>(query, variables, signal, false);
  }
  const { data, errors } = await response.json().catch(() => ({}));
  if (errors?.length || !data) throw failure(response, errors?.[0]);
  return data as Result;
}

const failure = (response: Response, error: GraphQLError | undefined): ApiError =>
  new ApiError(
    error?.extensions?.userPresentableMessage ?? error?.message ?? `The server answered ${response.status}.`,
    {
      response,
      status: response.status === 200 ? 400 : response.status,
      code: error?.extensions?.code ?? "",
      field: error?.extensions?.field ?? "",
    },
  );
