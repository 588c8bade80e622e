import { PAGES, PROGRAMS } from "../../formats/own-paths.ts";

/** The parts that may follow an organization's urlKey: the addresses in `url` of the schema's types. */
const OF_ORGANIZATIONS = ["issue", "project", "team", "profiles", "settings"] as const;

/** Only names of tools and users may hold a dot: any other path with one is that of a file, which is no page. */
const APP = new RegExp(
  `^/((tools|users)/[^/]+|(${PAGES.join("|")})(/[^.]*)?|[a-z0-9-]{1,64}/(${OF_ORGANIZATIONS.join("|")})(/[^.]*)?)?$`,
);

/** True for a path of the web app's pages. */
export const isPagePath = (path: string): boolean => APP.test(path);

/** First parts of the paths that programs ask, where no page can be. */
const OF_PROGRAMS = new RegExp(`^/(${PROGRAMS.join("|")}|\\.well-known)(/|$)`);

/** True for a path that may be meant as a page: it names no file, and no address of programs. */
export const mayBePage = (path: string): boolean => !OF_PROGRAMS.test(path) && !/\.[^/]*$/.test(path);

/** The paths of the web app as the log shows them: what follows is data, and stays out of it. */
export const webPaths: readonly string[] = [
  "/",
  "/assets/:name",
  "/docs",
  "/docs/:page",
  "/docs/:folder/:page",
  "/llms.txt",
  ...PAGES.flatMap((name) => [`/${name}`, `/${name}/:id`]),
  ...OF_ORGANIZATIONS.map((name) => `/:urlKey/${name}/:id`),
];
