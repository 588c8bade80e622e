/** Name of a topic, as ntfy accepts names. */
const TOPIC = /^[\w-]{1,64}$/;

/** Rule for ntfy URLs, as the end of a sentence. */
export const NTFY_ADDRESS =
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

/** Returns true if a rule accepts the URL: sending notices loses no part of the URL. */
export function isNtfyAddress(url: string): boolean {
  const { search, hash } = new URL(url);
  return search === "" && hash === "" && parseNtfyAddress(url) !== undefined;
}

/** Returns an empty text for an invalid percent-encoded text. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
