import { ApiError, throwUnreachable } from "./api.ts";
import type { GraphQLDocument } from "./document.ts";
import { discardAccessToken, getValidAccessToken } from "./session.ts";

interface GraphQLError {
  message: string;
  extensions?: { code?: string; field?: string; userPresentableMessage?: string };
}

/** Pauses before each retry of a request, in milliseconds. */
const PAUSES_MS = [300, 1_500];
/** Longest pause for a retry. If the server asks for a longer pause, the page shows the error. */
const LONGEST_MS = 2_000;

/**
 * Sends a document. Repeats a query after a temporary failure, unless the server asks for a longer pause. Repeats a
 * mutation only after a 401, because the server has not run the mutation.
 * @throws ApiError with the server's message
 */
export async function requestGraphQL<Result, Variables>(
  document: GraphQLDocument<Result, Variables>,
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
  const token = await getValidAccessToken();
  const response = await fetch("/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
    ...(signal && { signal }),
  }).catch(throwUnreachable);
  if (response.status === 401 && again) {
    discardAccessToken(token);
    return send<Result>(query, variables, signal, false);
  }
  const { data, errors } = await response.json().catch(() => ({}));
  if (errors?.length || !data) throw failure(response, errors?.[0]);
  return data as Result;
}

const failure = (response: Response, error: GraphQLError | undefined): ApiError =>
  new ApiError(
    error?.extensions?.userPresentableMessage ?? error?.message ?? `The server responded with ${response.status}.`,
    {
      response,
      status: response.status === 200 ? 400 : response.status,
      code: error?.extensions?.code ?? "",
      field: error?.extensions?.field ?? "",
    },
  );
