// @ts-check
// `npm run check` runs this. It refuses comments and docs that withhold their subject, or that use a word of a
// private dialect for a thing that has a name (docs/style.md, docs/glossary.md). In finished folders it also limits
// pronouns and refuses comments that only repeat the name below. Long sentences are counted, not refused.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SOURCES } from "./folders.js";
import { listComments, listPassages } from "./passages.js";

const CODE = [...SOURCES, "bench", "scripts", "test"];
const ROOTS = [...CODE, "examples", "docs"];
const PAGES = ["README.md", "CONTRIBUTING.md"];
const LEFT_OUT = /^(test\/(snapshots|fixtures)\/|web\/data\/documents\.ts$|scripts\/english\.js$|docs\/decisions\/)/;
const MOST_WORDS = 25;
/** Folders, pages and files in which every rule holds. A path stays here once it is finished. @type {string[]} */
const FINISHED = [
  ...["docs/style.md", "README.md", "bench", "cli", "concurrency", "db", "examples", "formats", "mcp", "redaction"],
  ...["scripts", "server", "system", "test", "web"],
  ...["connect", "recording", "opentelemetry", "ingest", "usage", "blame", "proof", "run", "concepts", "tutorial"].map(
    (page) => `docs/${page}.md`,
  ),
];
/** The pronouns that may leave a reader to guess the noun. */
const PRONOUNS = new Set(
  "it its itself one ones those these this they them their what whatever whose whom so such others else".split(" "),
);
/** Limits in finished folders: the share of pronouns in one comment and in all comments together. */
const [MOST_PRONOUNS, MOST_PRONOUNS_OF_ALL] = [0.2, 0.035];
/** Shorter comments do not count for the shares. */
const FEWEST_WORDS = 4;

const OPENING = /^(What|Whether|Of|Which|Where|Who|How)\b(?! to\b)(?![^.]*\?)/;

/** @type {[pattern: RegExp, cure: string][]} */
const WORDS = [
  [/\btold\b(?! (apart|from)\b)/i, "name who sends what: sent, reported, listed, notified, set"],
  [/\b(hears?|heard)\b/i, "say receives, or is notified"],
  [/\bnews\b/i, "say changes, events or notifications"],
  [/\b(an?|the|each|every|next|last|first|one|another) look\b/i, "say read, check or query"],
  [/\bdoors?\b/i, "say endpoint, route or API"],
  [/\bgone\b(?! (on|to|through|over|back)\b)/i, "say deleted, closed, expired or ended"],
  [/\b((?<!term )without a|says? no|the last|a single) word\b/i, "say what is sent, or that nothing is"],
  [/\blanes?\b/i, "say queue"],
  [/\b(the|newest|of|that|such) few\b(?! \w+s\b)/i, "name the rows, or give their number"],
];

/** Words of the table in docs/style.md that are wrong wherever they stand. @type {[pattern: RegExp, cure: string][]} */
const STRICT_WORDS = [
  [/\b(is|are) worth nothing\b|\bopens? nothing\b/i, "say revoked, or expired"],
  [/\btaken? out of (the |a )?texts?\b|\btaken out\b/i, "say redacted, or removed"],
  [/\b(trades?|traded) (a|the|its|for) /i, "say exchanges"],
  [/\bupkeep\b/i, "say maintenance"],
  [/\b(an?|by) mail\b/i, "say email"],
  [/\b(one|an?|each) [a-z]+ a (line|hour|day)\b|\bone a line\b/i, "say per line, per hour, per day"],
  [/\b(gone|goes|go|going|went) on with\b/i, "say continues, or resumes"],
  [/\bso (many|much|long|often)\b(?! (that|as)\b)/i, "name the number or the time"],
  [/\b(is|are|was) (answered|refused) [45]\d\d\b/i, "say: the server responds with the status"],
  [/\bnobody knows\b|\bknows? nothing of\b/i, "say what is not known, or not checked"],
];

/** Types that stand for things with names of their own. */
const TYPES = /\b(?:interface|type|class|enum) (Told|Door|Lane|News|Look)\b(?! *[,}])/g;

/** @param {string} path */
const inFinished = (path) => FINISHED.some((finished) => path === finished || path.startsWith(`${finished}/`));

/**
 * Findings in one file, each with its line and its cure.
 * @param {string} path
 * @param {string} text
 * @param {boolean} isFinished true where every rule holds
 */
export function listFindings(path, text, isFinished = inFinished(path)) {
  const isPage = path.endsWith(".md");
  const passages = isPage ? listPassages(text) : listComments(text);
  const words = isFinished ? [...WORDS, ...STRICT_WORDS] : WORDS;
  // The examples of the style guide are wrong on purpose.
  const checked = path === "docs/style.md" ? [] : passages;
  const found = checked.flatMap(({ line, text: passage, below }) => {
    const opening = OPENING.exec(passage)?.[1];
    const { all, pronouns } = countPronouns(passage);
    return [
      ...(opening ? [`${path}:${line}: opens with "${opening}": begin with the subject`] : []),
      ...words.flatMap(([pattern, cure]) => {
        const [word] = pattern.exec(passage.replaceAll(/`[^`]*`/g, "`")) ?? [];
        return word ? [`${path}:${line}: "${word}": ${cure}`] : [];
      }),
      ...(isFinished && !isPage && all >= FEWEST_WORDS && pronouns > all * MOST_PRONOUNS
        ? [`${path}:${line}: ${pronouns} of ${all} words are pronouns: name the things`]
        : []),
      ...(isFinished && below && repeatsName(passage, below)
        ? [`${path}:${line}: "${passage}" repeats the name below: delete the comment`]
        : []),
    ];
  });
  const types = path.endsWith(".md") ? [] : [...text.matchAll(TYPES)];
  const counts = isPage
    ? []
    : passages.map((passage) => countPronouns(passage.text)).filter(({ all }) => all >= FEWEST_WORDS);
  return {
    words: counts.reduce((sum, { all }) => sum + all, 0),
    pronouns: counts.reduce((sum, { pronouns }) => sum + pronouns, 0),
    found: [...found, ...types.map(([, name]) => `${path}: the type ${name}: give it the name of what it holds`)],
    passages: passages.length,
    long: passages.reduce((sum, passage) => sum + longSentences(passage.text), 0),
  };
}

/** Words of a passage and pronouns among them. A code span counts as one word. @param {string} passage */
function countPronouns(passage) {
  const words = passage.replaceAll(/`[^`]*`/g, "code").match(/[A-Za-z][A-Za-z'’-]*/g) ?? [];
  return { all: words.length, pronouns: words.filter((word) => PRONOUNS.has(word.toLowerCase())).length };
}

const FILLERS = new Set("a an the of for to in on with and or is are as by that this all each returns gets".split(" "));
/** @param {string} word */
const stemOf = (word) => word.toLowerCase().replace(/(ies|es|s|ed|ing|e)$/, "");

/**
 * Tells whether a comment has no word beyond those of the name that the line below declares.
 * @param {string} passage
 * @param {string} below
 */
function repeatsName(passage, below) {
  const [, name = ""] =
    /^\s*(?:export |default |async |static |readonly |private |declare )*(?:const|let|function\*?|class|interface|type|enum)?\s*([A-Za-z_$][\w$]*)/.exec(
      below,
    ) ?? [];
  const known = new Set((name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map(stemOf));
  const words = (passage.match(/[A-Za-z]+/g) ?? []).filter((word) => !FILLERS.has(word.toLowerCase()));
  return words.length > 0 && words.every((word) => known.has(stemOf(word)));
}

/** @param {string} text */
function longSentences(text) {
  const sentences = text.split(/(?<=[.!?:;])\s+/);
  return sentences.filter((sentence) => sentence.split(/\s+/).length > MOST_WORDS).length;
}

const files = () =>
  ROOTS.flatMap((root) => readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => `${root}/${name}`))
    .concat(PAGES)
    .filter((path) => /\.(tsx?|m?js|md)$/.test(path) && !LEFT_OUT.test(path) && !/^docs\/\w+\//.test(path));

/** The folder that a file counts for: of the server the folders inside it. @param {string} path */
const folderOf = (path) =>
  path
    .split("/")
    .slice(0, path.startsWith("server/") ? 2 : 1)
    .filter((part) => !part.includes("."))
    .join("/") || path;

function main() {
  /** @type {Map<string, { passages: number, long: number, words: number, pronouns: number, found: number }>} */
  const counts = new Map();
  const refused = [];
  const finished = { words: 0, pronouns: 0 };
  for (const path of files()) {
    const { found, passages, long, words, pronouns } = listFindings(path, readFileSync(path, "utf8"));
    const count = counts.get(folderOf(path)) ?? { passages: 0, long: 0, words: 0, pronouns: 0, found: 0 };
    counts.set(folderOf(path), {
      passages: count.passages + passages,
      long: count.long + long,
      words: count.words + words,
      pronouns: count.pronouns + pronouns,
      found: count.found + found.length,
    });
    if (inFinished(path)) {
      finished.words += words;
      finished.pronouns += pronouns;
    }
    refused.push(...found);
  }
  const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`;
  for (const [folder, { passages, long, words, pronouns, found }] of counts) {
    const share = words > 0 ? `, ${percent(pronouns / words)} of ${words} words are pronouns` : "";
    console.log(
      `${folder}: ${passages} passages${share}, ${long} sentences over ${MOST_WORDS} words, ${found} findings`,
    );
  }
  if (finished.pronouns > finished.words * MOST_PRONOUNS_OF_ALL)
    refused.push(
      `finished folders: ${percent(finished.pronouns / finished.words)} of the words of comments are pronouns`,
    );
  for (const line of refused) console.error(line);
  if (refused.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
