import { readFileSync } from "node:fs";
import { PROGRAMS } from "../../agents/programs.ts";

const { name: ours } = JSON.parse(readFileSync("package.json", "utf8"));

/** A package without its version. */
const bare = (word: string) => word.replace(/(?<=.)@.*$/, "");

/**
 * The packages that exist and are the ones meant: npm ci has checked them against package-lock.json, or `npm run agents`
 * installs them in one version.
 */
const KNOWN = new Set([
  // Node.js itself, as npm carries it.
  "node",
  ...Object.keys(JSON.parse(readFileSync("package-lock.json", "utf8")).packages).map((path) =>
    path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
  ),
  ...Object.values(PROGRAMS).flatMap((program) => program.package.split(" ").map(bare)),
]);

/** Commands that run a package by its name, and commands that install some, each with the rest of its line. */
const RUNS = ["npx", "bunx", "uvx", "pipx run", "(?:pnpm|yarn) dlx", "npm (?:exec|x)"];
const INSTALLS = ["npm (?:i|install|add)", "(?:pnpm|yarn|bun) add", "pip3? install"];
const FETCHING = new RegExp(
  `(?<![\\w/.-])(?:(?<runs>${RUNS.join("|")})|${INSTALLS.join("|")})(?![\\w/.-])(?<rest>(?:",?\\s*"args":)?[^\\n\`|&#]*)`,
  "g",
);
/** Files, variables of a shell and redirections are no names. */
const NAME = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/;
const OPTION_WITH_PACKAGE = /^(?:-p|--package)$/;

/** The names that a text's commands fetch: after `-p`, else the first argument, of an installation each argument. */
export const fetchedBy = (text: string): string[] =>
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

/** `@a/{b,c}` as a shell takes it. */
const spread = (text: string): string =>
  text.replaceAll(/(\S+)\{(\S+)\}/g, (_, before: string, list: string) =>
    list
      .split(",")
      .map((name) => before + name)
      .join(" "),
  );

/** The commands of a text that fetch what nobody has checked, or what bears our name: others may have taken it. */
export const foreignIn = (path: string, text: string): { path: string; name: string }[] =>
  fetchedBy(text)
    .filter((name) => !KNOWN.has(name) || name === ours || name.startsWith(`@${ours}/`))
    .map((name) => ({ path, name }));
