import { agents } from "../../../agents/index.ts";
import type { Wording } from "../../../agents/tools.ts";

/**
 * Agents that pass on the results of programs. Text that matches an agent's `leads` may precede any line of a program's
 * output.
 */
export const AGENT_WORDINGS: Readonly<Record<string, Wording>> = Object.fromEntries(
  agents.flatMap(({ name, wording }) => (wording ? [[name, wording]] : [])),
);

/** Test runners, compilers and shells. */
export const PROGRAM_WORDINGS: Readonly<Record<string, Wording>> = {
  any: {
    leads: [
      // Text before a message: a source position, the time and level of a log entry, or the left border of a box.
      /(?=[^\s:()]*[/.])[^\s:()]+(?::\d+){1,2}:? (?:- )?/,
      /[^\s:()]+\(\d+,\d+\): /,
      /\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+\S* (?:- )?(?:[\w.]+ - )?(?:ERROR|FATAL|CRITICAL)(?: -|:)? /,
      /[│┃|] /,
    ],
    silent: [
      /[-=_~^#*─━⎯═.+|╷╵│ \t]*/,
      /(?:node:|(?:file:|[A-Za-z]:)?(?=\S*[/.]))[^\s:]+:\d+(?::\d+)?/,
      /\d+ (?:errors?|warnings?|problems?)(?: generated)?\.?/,
      /\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+.*\b(?:DEBUG|INFO|WARN|WARNING|TRACE)\b.*/,
      /(?:warning|warn|info|note|hint|help)(?:\[\w+\])?:? .*/,
    ],
    telling: [
      /(?:E +|Uncaught |Unhandled |Exception in thread "[^"]*" )?[A-Za-z_$][\w.$]*(?:Error|Exception)(?: \[\w+\])?: .*/,
      /(?:.*[^\w-])?(?:fatal )?(?:[Ee]rror|ERROR)(?:\[\w+\]| TS\d+)?: .*/,
      /(?:fatal|FATAL|panic): .*/,
      /.* (?:ERROR|FATAL|CRITICAL) .*/,
    ],
  },
  node: {
    silent: [
      /at .*/,
      /Node\.js v.*/,
      /\(node:\d+\) .*/,
      /\(Use `node --trace-.*/,
      /Require stack:/,
      /- \/.*/,
      /Emitted 'error' event on .*/,
    ],
  },
  tap: { silent: [/TAP version .*/, /# .*/, /ok \d+.*/, /\d+\.\.\d+/], telling: [/not ok \d+.*/] },
  packages: {
    leads: [/npm (?:error|ERR!) (?:code )?/, /error (?=[A-Z](?!S\d))/],
    silent: [
      /npm (?:warn|WARN|notice|info) .*/,
      /npm (?:error|ERR!)(?: (?:code|errno|syscall|path|A complete log) .*| \d{3})?/,
      /> .*/,
      /(?:yarn|pnpm) (?:run|install) v.*/,
      /\[\d\/\d\] .*/,
      /\$ .*/,
      /Progress: .*/,
    ],
    telling: [/npm (?:error|ERR!) .*/, /error [A-Z].*/, /ERR_PNPM_.*/],
  },
  mocha: { silent: [/[✓✔√] .*/, /\d+\) .*/, /\d+ (?:passing|failing|pending)\b.*/, /[.!,]+/] },
  vitest: {
    leads: [/→ /],
    silent: [
      /RUN +v.*/,
      /[❯✓×↓] .*/,
      /⎯+ .*/,
      /(?:Test Files|Tests|Start at|Duration) .*/,
      /(?:filter|include|exclude|watch exclude): .*/,
      /\d+\| .*/,
    ],
  },
  jest: {
    leads: [/thrown: /],
    silent: [
      /(?:FAIL|PASS) .*/,
      /[✓✕○●] .*/,
      /(?:Test Suites|Tests|Snapshots|Time): .*/,
      /Ran all test suites.*/,
      />? *\d+ \|.*/,
    ],
  },
  eslint: {
    leads: [/\d+:\d+ +(?:error|warning) +/],
    silent: [
      /(?:\/|[A-Za-z]:\\)\S+/,
      /\d+:\d+ +warning .*/,
      /✖ .*/,
      /Oops! Something went wrong! :\(/,
      /ESLint: [\d.]+/,
    ],
    telling: [/\d+:\d+ +error .*/],
  },
  bundlers: {
    leads: [/[✘✗X] \[ERROR\] /, /\[(?:error|warn)\] /],
    silent: [/Checking formatting\.\.\./, /\[warn\] \S+/],
    telling: [/[✘✗X] \[ERROR\] .*/, /\[error\] .*/],
  },
  git: {
    silent: [/Cloning into .*/, /Auto-merging .*/, /On branch .*/, /To .*/],
    telling: [/CONFLICT .*/, /! \[.*/],
  },
  shell: { leads: [/(?:\/bin\/)?(?:ba|da|z)?sh: (?:-c: )?(?:line \d+: )?/] },
  curl: { silent: [/% Total .*/, /Dload .*/, /\d+ +\d+ +\d+ .*--:--.*/] },
  c: {
    silent: [
      /.*: In function .*/,
      /(?:cc|gcc|g\+\+|clang) .*/,
      /compilation terminated.*/,
      /\d+ \| .*/,
      /\| .*/,
      /\S*:\d+: (?:note|warning): .*/,
    ],
    telling: [/.*: undefined reference to .*/],
  },
  kubectl: { silent: [/[IWEF]\d{4} [\d:.]+ +\d+ \S+\] .*/] },
  make: { silent: [/make(?:\[\d+\])?: (?:Entering|Leaving) .*/], telling: [/make(?:\[\d+\])?: \*\*\* .*/] },
  python: {
    leads: [/E +/],
    silent: [
      /Traceback \(most recent call last\):/,
      /(?:The above exception|During handling of) .*/,
      /[.FEsx]+(?: +\[ *\d+%\])?/,
      /[=_]{3,} .* [=_]{3,}/,
    ],
    places: [/File ".*", line \d+.*/],
    telling: [/E {2,}.*/],
  },
  rust: {
    silent: [
      /(?:Compiling|Checking|Finished|Running|Updating|Download(?:ing|ed)|Blocking|Locking|Adding) .*/,
      /--> .*/,
      /\d* *\|.*/,
      /= (?:note|help): .*/,
      /thread '[^']*' .*panicked at .*:/,
      /running \d+ tests?/,
      /test .* \.\.\. .*/,
      /failures:/,
      /---- .* stdout ----/,
      /stack backtrace:/,
    ],
  },
  go: {
    silent: [/=== RUN .*/, /--- (?:FAIL|PASS): .*/, /FAIL/, /FAIL\t.*/, /goroutine \d+ .*/, /exit status \d+/],
  },
};

/** Keys under which JSON contains the cause, most specific first. */
export const ERROR_MESSAGE_JSON_KEYS = [
  ...["message", "error", "errors", "errorMessage", "error_message", "error_description", "detail", "details"],
  ...["reason", "msg", "stderr", "text", "content", "functionResponse", "response", "output", "stdout"],
];
