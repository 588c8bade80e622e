/** A path's pattern, without its values. */
export type PatternOf = (path: string) => string;

const OTHER = "(other)";

/**
 * Finds the pattern a path fits. A caller may put anything into a path, a token too, so the log shows what the server
 * itself has written: the pattern of a known route, or for other paths the longest known beginning and `…`.
 * @param patterns in full, `:name` for the parts that vary
 */
export function routePatterns(patterns: readonly string[]): PatternOf {
  const fixed = new Set(patterns.filter((pattern) => !pattern.includes(":")));
  const varying = patterns
    .filter((pattern) => pattern.includes(":"))
    .map((pattern) => ({ pattern, fits: new RegExp(`^${pattern.replace(/:\w+/g, "[^/]+")}/?$`) }));
  const beginnings = [...new Set(patterns.flatMap(beginningsOf))].sort((a, b) => b.length - a.length);
  return (path) => {
    if (fixed.has(path)) return path;
    const found = varying.find(({ fits }) => fits.test(path));
    if (found) return found.pattern;
    const beginning = beginnings.find((start) => path.startsWith(start));
    return beginning ? `${beginning}…` : OTHER;
  };
}

/** `/api/webhooks/:id` begins with `/api/webhooks/` and `/api/`. */
function beginningsOf(pattern: string): string[] {
  const parts = pattern.split("/:", 1)[0]?.split("/").slice(1) ?? [];
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}/`);
}
