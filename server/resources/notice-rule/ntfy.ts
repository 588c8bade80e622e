/** Name of a topic, as ntfy accepts names. */
const TOPIC = /^[\w-]{1,64}$/;

/** Description of valid ntfy URLs for error messages, as the end of a sentence. */
export const NTFY_URL_REQUIREMENT =
  "must end with the name of a topic (1 to 64 of a-z, A-Z, 0-9, _ and -) and nothing after it, such as https://ntfy.sh/builds";

/**
 * Returns the URL for posting JSON, and the topic in the last path segment. Undefined if the last segment is no
 * topic.
 */
export function parseNtfyAddress(url: string): { base: string; topic: string } | undefined {
  const { origin, pathname } = new URL(url);
  const parts = pathname.split("/").filter((part) => part !== "");
  const topic = decoded(parts.pop() ?? "");
  return TOPIC.test(topic) ? { base: `${origin}/${parts.map((part) => `${part}/`).join("")}`, topic } : undefined;
}

/**
 * Returns true if a rule can use the URL. A URL with a query or a fragment is invalid, because sending a notice would
 * lose them.
 */
export function isNtfyAddress(url: string): boolean {
  const { search, hash } = new URL(url);
  return search === "" && hash === "" && parseNtfyAddress(url) !== undefined;
}

/** Decodes a percent-encoded text. Returns an empty text if the encoding is invalid. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
