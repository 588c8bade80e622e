import { explainConnectionError } from "../../formats/causes.ts";
import { isObject } from "../../formats/json.ts";
import { toDisplayUrl } from "../../formats/secret-url.ts";

const TARGET = { variable: "TRACKER_URL", start: "start it with `npm start`, or correct TRACKER_URL" };

/** Returns the reason why the server cannot be reached, and the next step if there is a known one. */
export function explainUnreachable(error: unknown, url: string): string {
  const { what, cure, code } = explainConnectionError(error, TARGET);
  const next = cure ? `${cure.charAt(0).toUpperCase()}${cure.slice(1)}, then repeat the call.` : "Repeat the call.";
  // ECONNREFUSED needs no explanation: no program listens at that address.
  const reason = code === "ECONNREFUSED" ? code : [what, code].filter(Boolean).join(", ");
  return `Trackway is not reachable at ${url} (${reason}). ${next}`;
}

/**
 * Returns the message for a response that does not come from Trackway. `misfit` names the member that is missing or has
 * the wrong type.
 */
export function explainNonTrackwayResponse(
  address: string,
  status: number,
  { location, misfit }: StrangeAnswer = {},
): string {
  if (status >= 300 && status < 400 && location && URL.canParse(location, address)) {
    const target = toDisplayUrl(new URL(location, address).href) ?? "an unreadable address";
    return `${address} responded with ${status} and redirects to ${target}. If you trust that server, set TRACKER_URL to its address, then repeat the call.`;
  }
  const where = misfit ? `: ${misfit} is missing or has another type` : "";
  return `${address} responded with HTTP ${status}, and the response is not from Trackway${where}. Check that TRACKER_URL is the address of Trackway, then repeat the call.`;
}

interface StrangeAnswer {
  location?: string | null | undefined;
  misfit?: string | undefined;
}

/** Parses the body as a JSON object; returns an empty object for any other body. */
export async function parseJsonObjectBody(response: Pick<Response, "text">): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await response.text());
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns the value if the value is a string. */
export const toStringOrUndefined = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;
