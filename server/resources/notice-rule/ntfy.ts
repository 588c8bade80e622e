/** The name of a topic, as ntfy takes it. */
const TOPIC = /^[\w-]{1,64}$/;

/** The rule of ntfy addresses, as the end of a sentence. */
export const NTFY_ADDRESS =
  "must end with the name of a topic (1 to 64 of a-z, A-Z, 0-9, _ and -) and nothing after it, such as https://ntfy.sh/builds";

/** The address that JSON is posted to, and the topic: the last part of the path. Undefined where that is no topic. */
export function parseNtfyAddress(url: string): { base: string; topic: string } | undefined {
  const { origin, pathname } = new URL(url);
  const parts = pathname.split("/").filter((part) => part !== "");
  const topic = decoded(parts.pop() ?? "");
  return TOPIC.test(topic) ? { base: `${origin}/${parts.map((part) => `${part}/`).join("")}`, topic } : undefined;
}

/** Tells whether a rule takes a URL: nothing in it is left out when notices are sent. */
export function isNtfyAddress(url: string): boolean {
  const { search, hash } = new URL(url);
  return search === "" && hash === "" && parseNtfyAddress(url) !== undefined;
}

/** Empty for what is no percent-encoded text. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
