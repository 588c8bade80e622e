import { NON_PAGE_PATH_SEGMENTS, PAGE_PATHS } from "../../formats/own-paths.ts";

/** Path segments that may follow an organization's `urlKey`, as in the field `url` of the schema's types. */
const OF_ORGANIZATIONS = ["issue", "project", "team", "profiles", "settings"] as const;

/** Only names of tools and users may contain a dot. Any other path with a dot is the path of a file, not of a page. */
const APP = new RegExp(
  `^/((tools|users)/[^/]+|(${PAGE_PATHS.join("|")})(/[^.]*)?|[a-z0-9-]{1,64}/(${OF_ORGANIZATIONS.join("|")})(/[^.]*)?)?$`,
);

/** Returns true for a path of the web app's pages. */
export const isWebAppPath = (path: string): boolean => APP.test(path);

/** First segments of API paths, which are never pages. */
const OF_PROGRAMS = new RegExp(`^/(${NON_PAGE_PATH_SEGMENTS.join("|")}|\\.well-known)(/|$)`);

/** Returns true if a path may be meant as a page: neither the path of a file nor of an API. */
export const couldBePage = (path: string): boolean => !OF_PROGRAMS.test(path) && !/\.[^/]*$/.test(path);

/**
 * Patterns of the web app's paths. The log contains the pattern instead of the path, because the values in a path are
 * data and must not be logged.
 */
export const WEB_ROUTE_PATTERNS: readonly string[] = [
  "/",
  "/assets/:name",
  "/docs",
  "/docs/:page",
  "/docs/:folder/:page",
  "/llms.txt",
  ...PAGE_PATHS.flatMap((name) => [`/${name}`, `/${name}/:id`]),
  ...OF_ORGANIZATIONS.map((name) => `/:urlKey/${name}/:id`),
];
