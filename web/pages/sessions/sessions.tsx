import { useRef, useState } from "preact/hooks";
import { isRealtimeConnected } from "../../data/realtime.ts";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { lazyComponent } from "../../shell/lazy.tsx";
import { Page } from "../../shell/page.tsx";
import { appLocation, setSearchParameters } from "../../shell/router.ts";
import { toggleFailedSessions } from "./filters.tsx";
import { SessionListPanel } from "./listed.tsx";
import { listTimeRanges, SessionsOverview } from "./overview.tsx";
import { buildTextSearchFilter, readRangeStart, readSelectedRange } from "./url-filter.ts";

const Results = lazyComponent(() => import("./results.tsx"));
/**
 * Loads the button for the differences since yesterday one second later than the page, so that the list of sessions
 * loads first.
 */
const Since = lazyComponent(async () => {
  await new Promise((done) => setTimeout(done, 1_000));
  return import("./since/since.tsx");
});

type Field = preact.RefObject<HTMLInputElement | null>;

/**
 * Page of recorded sessions, newest first by default. With a search text, the page lists the matching events instead.
 */
export default function SessionsPage() {
  const text = appLocation.value.search.get("q");
  const field = useRef<HTMLInputElement>(null);
  const [held, hold] = useState(false);
  const find = () => field.current?.focus();
  const toggle = () => hold(!held);
  useKeyboardShortcuts({ "/": find, f: find, x: toggleFailedSessions, l: toggle });
  return (
    <Page title="Sessions" fixed keys={KEYS}>
      <Head held={held} toggle={toggle} />
      {text ? <Searched text={text} field={field} /> : <SessionListPanel field={field} held={held} />}
    </Page>
  );
}

function Searched({ text, field }: { text: string; field: Field }) {
  const { search } = appLocation.value;
  const { from = readRangeStart(search), to } = readSelectedRange(search);
  return (
    <>
      <SessionsOverview field={field} />
      <div class="scroll">
        <Results term={text} from={from} to={to} filter={buildTextSearchFilter(search)} />
      </div>
    </>
  );
}

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["↵"], "open"],
  [["Space"], "preview"],
  [["F"], "filter"],
  [["X"], "only failures"],
  [["L"], "live"],
  [["."], "show new"],
  [["D"], "what is new since yesterday"],
];

interface HeadProps {
  /** True while new sessions are held back. */
  held: boolean;
  toggle: () => void;
}

const Head = ({ held, toggle }: HeadProps) => (
  <header class="head">
    <h1>Sessions</h1>
    {isRealtimeConnected.value && (
      <button
        class="btn"
        type="button"
        aria-pressed={!held}
        title={held ? "Live updates are off. Turn them on (L)" : "Live updates are on. Turn them off (L)"}
        onClick={toggle}
      >
        <span class={held ? "beat" : "beat acc"} />
        Live
      </button>
    )}
    <Since />
    <div class="acts">
      <select
        class="in"
        aria-label="Time range"
        value={readRangeStart(appLocation.value.search)}
        onChange={(event) =>
          setSearchParameters(
            { range: event.currentTarget.value, from: undefined, to: undefined, zoom: undefined },
            false,
          )
        }
      >
        {listTimeRanges(readRangeStart(appLocation.value.search)).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  </header>
);
