import { readFileSync } from "node:fs";
import { PROGRAMS } from "../../agents/programs.ts";

const { name: ours } = JSON.parse(readFileSync("package.json", "utf8"));

/** Removes the version from the name of a package. */
const bare = (word: string) => word.replace(/(?<=.)@.*$/, "");

/**
 * Packages that exist and are the intended packages: npm ci has checked them against package-lock.json, or `npm run
 * agents` installs a fixed version.
 */
const KNOWN = new Set([
  // Node.js, distributed as an npm package.
  "node",
  ...Object.keys(JSON.parse(readFileSync("package-lock.json", "utf8")).packages).map((path) =>
    path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
  ),
  ...Object.values(PROGRAMS).flatMap((program) => program.package.split(" ").map(bare)),
]);

/** Commands that run a package by name, and commands that install packages, each with the rest of the line. */
const RUNS = ["npx", "bunx", "uvx", "pipx run", "(?:pnpm|yarn) dlx", "npm (?:exec|x)"];
const INSTALLS = ["npm (?:i|install|add)", "(?:pnpm|yarn|bun) add", "pip3? install"];
const FETCHING = new RegExp(
  `(?<![\\w/.-])(?:(?<runs>${RUNS.join("|")})|${INSTALLS.join("|")})(?![\\w/.-])(?<rest>(?:",?\\s*"args":)?[^\\n\`|&#]*)`,
  "g",
);
/** Pattern of package names. Files, shell variables and redirections do not match. */
const NAME = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/;
const OPTION_WITH_PACKAGE = /^(?:-p|--package)$/;

/**
 * Returns the packages that the commands of a text fetch: the value of `-p`, else the first argument; for an
 * installation each argument.
 */
export const findFetchedPackages = (text: string): string[] =>
  [...text.matchAll(FETCHING)].flatMap(({ groups }) => {
    const { runs, rest = "" } = groups ?? ({} as Record<string, string | undefined>);
    const words = spread(rest)
      .split(/[\s"',[\]();:]+/)
      .filter((word) => word && word !== "args");
    const named = words.filter((_, at) => OPTION_WITH_PACKAGE.test(words[at - 1] ?? ""));
    const given = words.filter((word) => !word.startsWith("-"));
    const all = runs ? (named.length > 0 ? named : given.slice(0, 1)) : given;
    return all.map(bare).filter((word) => NAME.test(word) && !word.endsWith(".tgz"));
  });

/** Expands `@a/{b,c}` as a shell does. */
const spread = (text: string): string =>
  text.replaceAll(/(\S+)\{(\S+)\}/g, (_, before: string, list: string) =>
    list
      .split(",")
      .map((name) => before + name)
      .join(" "),
  );

/**
 * Returns the packages in the commands of a text that nobody has checked, or that bear our name: somebody else may
 * have registered the name.
 */
export const findForeignPackages = (path: string, text: string): { path: string; name: string }[] =>
  findFetchedPackages(text)
    .filter((name) => !KNOWN.has(name) || name === ours || name.startsWith(`@${ours}/`))
    .map((name) => ({ path, name }));
