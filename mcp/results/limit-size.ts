/** The most characters a result has as JSON: about 10,000 tokens. */
const MAX_CHARACTERS = 40_000;

type Json = Record<string, unknown>;

/** The result as it is, or with its longest texts cut and `truncated: true` when it would be too long. */
export function limitSize(result: Json): { result: Json; json: string } {
  const json = JSON.stringify(result);
  if (json.length <= MAX_CHARACTERS) return { result, json };
  for (let longest = MAX_CHARACTERS / 2; longest >= 64; longest /= 2) {
    const truncated = { ...(cutTexts(result, longest) as Json), truncated: true };
    const shorter = JSON.stringify(truncated);
    if (shorter.length <= MAX_CHARACTERS) return { result: truncated, json: shorter };
  }
  throw new Error("a result has too many parts to be cut to size");
}

function cutTexts(value: unknown, longest: number): unknown {
  if (typeof value === "string") return value.length > longest ? `${value.slice(0, longest)}…` : value;
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, longest));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutTexts(item, longest)]));
}
