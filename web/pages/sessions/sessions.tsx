import { useRef, useState } from "preact/hooks";
import { live } from "../../data/realtime.ts";
import { useKeys } from "../../shell/keys.ts";
import { lazyPart } from "../../shell/lazy.tsx";
import { Page } from "../../shell/page.tsx";
import { place, setSearch } from "../../shell/router.ts";
import { toggleFailed } from "./filters.tsx";
import { Listed } from "./listed.tsx";
import { Overview, rangesWith } from "./overview.tsx";
import { narrowedTo, rangeOf, searchFilterOf } from "./url-filter.ts";

const Results = lazyPart(() => import("./results.tsx"));
/** The list comes first: what is new since yesterday is loaded a second later. */
const Since = lazyPart(async () => {
  await new Promise((done) => setTimeout(done, 1_000));
  return import("./since/since.tsx");
});

type Field = preact.RefObject<HTMLInputElement | null>;

/** The recorded sessions, newest first unless sorted; or the events that say a text. */
export default function SessionsPage() {
  const text = place.value.search.get("q");
  const field = useRef<HTMLInputElement>(null);
  const [held, hold] = useState(false);
  const find = () => field.current?.focus();
  const toggle = () => hold(!held);
  useKeys({ "/": find, f: find, x: toggleFailed, l: toggle });
  return (
    <Page title="Sessions" fixed keys={KEYS}>
      <Head held={held} toggle={toggle} />
      {text ? <Searched text={text} field={field} /> : <Listed field={field} held={held} />}
    </Page>
  );
}

/** The results of a text search. */
function Searched({ text, field }: { text: string; field: Field }) {
  const { search } = place.value;
  const { from = rangeOf(search), to } = narrowedTo(search);
  return (
    <>
      <Overview field={field} />
      <div class="scroll">
        <Results term={text} from={from} to={to} filter={searchFilterOf(search)} />
      </div>
    </>
  );
}

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["↵"], "open"],
  [["Space"], "peek"],
  [["F"], "filter"],
  [["X"], "only failures"],
  [["L"], "live"],
  [["."], "show new"],
  [["D"], "since yesterday"],
];

interface HeadProps {
  /** True if new sessions wait. */
  held: boolean;
  toggle: () => void;
}

const Head = ({ held, toggle }: HeadProps) => (
  <header class="head">
    <h1>Sessions</h1>
    {live.value && (
      <button
        class="btn"
        type="button"
        aria-pressed={!held}
        title={held ? "New sessions wait until they are asked for (L)" : "New sessions arrive by themselves (L)"}
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
        aria-label="Time shown above the list"
        value={rangeOf(place.value.search)}
        onChange={(event) =>
          setSearch({ range: event.currentTarget.value, from: undefined, to: undefined, zoom: undefined }, false)
        }
      >
        {rangesWith(rangeOf(place.value.search)).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  </header>
);
