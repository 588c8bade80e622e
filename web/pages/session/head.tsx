import { useState } from "preact/hooks";
import type { SessionQuery } from "../../data/documents.ts";
import { Icon } from "../../parts/icon.tsx";
import { copyText } from "../../parts/texts/copy.tsx";
import { count } from "../../parts/texts/format.ts";
import { toast } from "../../parts/toast.tsx";
import { useKeys } from "../../shell/keys.ts";
import { titleOf } from "../sessions/row.tsx";
import { isOwner } from "../settings/parts.tsx";
import { CompareWith } from "./compare-with.tsx";
import type { EventTree } from "./events.ts";
import { download, toJson, toMarkdown } from "./export.ts";
import { OwnerActions } from "./owner-actions.tsx";

export type Recorded = SessionQuery["recordedSession"];

/** A way to read a session. */
export type Reading = "timeline" | "transcript" | "log";
const READINGS: [reading: Reading, name: string][] = [
  ["timeline", "Timeline"],
  ["transcript", "Transcript"],
  ["log", "Log"],
];

/** The address of a view of a session. */
export const addressOf = (id: string, reading: Reading): string =>
  reading === "timeline" ? `/sessions/${id}` : `/sessions/${id}/${reading}`;

interface HeadProps {
  recorded: Recorded;
  tree: EventTree;
  reading: Reading;
  /** Reads the session anew. */
  reload: () => void;
}

/** The session's name, the ways to read it, and its actions. */
export function Head({ recorded, tree, reading, reload }: HeadProps) {
  const { failures } = recorded.totals;
  return (
    <header class="head deep">
      <nav class="crumb only-wide" aria-label="Breadcrumb">
        <a href="/sessions">Sessions</a>
        <Icon name="right" class="i-14" />
      </nav>
      <a href="/sessions" class="back" aria-label="Back to sessions">
        <Icon name="right" />
      </a>
      <h1 class="cut" title={titleOf(recorded)}>
        <bdi>{titleOf(recorded)}</bdi>
      </h1>
      {failures > 0 && (
        <span class="badge fail only-wide">
          <Icon name="fail" />
          {count(failures)} {failures === 1 ? "failure" : "failures"}
        </span>
      )}
      <div class="acts">
        <nav class="seg" aria-label="Reading">
          {READINGS.map(([name, words]) => (
            <a key={name} href={addressOf(recorded.id, name)} aria-current={name === reading ? "page" : undefined}>
              {words}
            </a>
          ))}
        </nav>
        <button class="btn sq only-wide" type="button" aria-label="Copy link" title="Copy link" onClick={copyLink}>
          <Icon name="link" class="i-14" />
        </button>
        <Compare recorded={recorded} />
        <Export recorded={recorded} tree={tree} />
        {isOwner() && <OwnerActions recorded={recorded} reload={reload} />}
      </div>
    </header>
  );
}

const copyLink = () => void copyText(location.href).then(() => toast("The link is copied."));

function Compare({ recorded }: Pick<HeadProps, "recorded">) {
  const [isOpen, open] = useState(false);
  useKeys({ b: () => open(true) });
  return (
    <>
      <button class="btn only-wide" type="button" onClick={() => open(true)}>
        Compare
      </button>
      {isOpen && <CompareWith recorded={recorded} close={() => open(false)} />}
    </>
  );
}

function Export({ recorded, tree }: Pick<HeadProps, "recorded" | "tree">) {
  const [busy, setBusy] = useState(false);
  const save = async (kind: "json" | "md") => {
    setBusy(true);
    try {
      const text = kind === "json" ? await toJson(recorded, tree) : await toMarkdown(recorded, tree);
      download(`session-${recorded.id}.${kind}`, text);
    } catch (error) {
      toast((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <>
      <button class="btn only-wide" type="button" onClick={() => save("md")} disabled={busy} aria-busy={busy}>
        Markdown
      </button>
      <button class="btn only-wide" type="button" onClick={() => save("json")} disabled={busy} aria-busy={busy}>
        JSON
      </button>
    </>
  );
}
