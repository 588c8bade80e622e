import { useEffect, useState } from "preact/hooks";
import { getOwnProperty } from "../../../formats/own.ts";
import { HOUR_MS } from "../../../formats/time.ts";
import { InboxSession } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon, PathIcon } from "../../parts/icon.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { removeAnsi } from "../../parts/texts/ansi.ts";
import { CopyButton } from "../../parts/texts/copy.tsx";
import { truncate } from "../../parts/texts/format.ts";
import { LongText } from "../../parts/texts/long-text.tsx";
import { Age } from "../../parts/time/time.tsx";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { navigate } from "../../shell/router.ts";
import { getToolIcon } from "../tools/icon.ts";
import type { InboxEntryUpdate } from "./inbox.tsx";
import {
  buildEntryLink,
  ENTRY_ICON_PATHS,
  ENTRY_TEXT_HEADINGS,
  formatEntryTitle,
  getEntryColorClass,
  type InboxEntry,
  stopsAgent,
} from "./words.ts";

const SNOOZES: [name: string, hours: number][] = [
  ["For one hour", 1],
  ["For one day", 24],
  ["For one week", 24 * 7],
];

interface EntryProps {
  entry: InboxEntry;
  put: (marks: InboxEntryUpdate) => void;
  /** Marks the entry as read. */
  read: () => void;
  /** Address of the list. */
  back: string;
}

/**
 * Shows one inbox entry in full: the question, a link to the session, issue or failure that the entry is about, and the
 * preceding events.
 */
export function InboxEntryDetail({ entry, put, read, back }: EntryProps) {
  const [snoozes, snooze] = useState(false);
  useEffect(() => {
    if (!entry.readAt) read();
  }, []);
  const isDone = entry.doneAt !== null;
  const subject = buildEntryLink(entry);
  const end = () => put({ done: !isDone });
  useKeyboardShortcuts({
    e: end,
    s: () => snooze(true),
    Enter: () => subject && navigate(subject[1]),
    Escape: () => navigate(back),
  });
  const choose = (hours: number) => {
    snooze(false);
    put({ snoozedUntilAt: new Date(Date.now() + hours * HOUR_MS).toISOString() });
  };
  return (
    <article class="inbox-entry" aria-labelledby="entry">
      <header>
        <a class="back" href={back} aria-label="Back to the inbox">
          <Icon name="right" />
        </a>
        <PathIcon d={ENTRY_ICON_PATHS[entry.type]} class={getEntryColorClass(entry)} />
        <div>
          <h2 id="entry">
            <bdi>{formatEntryTitle(entry)}</bdi>
          </h2>
          <p class="dim">
            <Age at={entry.createdAt} prose />
          </p>
        </div>
        <div class="row inbox-acts">
          {subject && (
            <a class="btn" href={subject[1]}>
              <Icon name={entry.session ? "sessions" : entry.issue ? "issues" : "fail"} class="i-14" />
              {subject[0]} <kbd class="only-wide">↵</kbd>
            </a>
          )}
          <button class="btn quiet to-right" type="button" onClick={() => snooze(true)}>
            <Icon name="clock" class="i-14" />
            Snooze <kbd class="only-wide">S</kbd>
          </button>
          <button class="btn" type="button" onClick={end}>
            <Icon name="check" class="i-14" />
            {isDone ? "Reopen" : "Done"} <kbd class="only-wide">E</kbd>
          </button>
        </div>
      </header>
      <div class="inbox-body">
        {entry.question && (
          <section aria-labelledby="question">
            <h3 id="question">{ENTRY_TEXT_HEADINGS[entry.type]}</h3>
            <LongText text={removeAnsi(entry.question)} label={ENTRY_TEXT_HEADINGS[entry.type]} />
          </section>
        )}
        {entry.session && <Where id={entry.session.id} isStopped={stopsAgent(entry)} />}
      </div>
      {snoozes && (
        <Dialog title="Snooze" close={() => snooze(false)}>
          <div class="stack choices">
            {SNOOZES.map(([name, hours]) => (
              <button key={name} class="btn" type="button" onClick={() => choose(hours)}>
                {name}
              </button>
            ))}
          </div>
        </Dialog>
      )}
    </article>
  );
}

/** Host and folder of the agent, with the agent's latest calls. */
function Where({ id, isStopped: stopped }: { id: string; isStopped: boolean }) {
  const { data, error, reload } = useQuery(InboxSession, { id });
  return (
    <LoadedContent data={data?.recordedSession} error={error} retry={reload} lines={3}>
      {({ metadata, source, externalId, events }) => {
        const known = (name: string) => {
          const value = getOwnProperty(metadata as Record<string, unknown> | null, name);
          return typeof value === "string" ? value : undefined;
        };
        const facts: [name: string, value: string | null | undefined][] = [
          ["Program", source],
          ["Computer", known("host")],
          ["Folder", known("cwd")],
          ["Session", externalId],
        ];
        return (
          <>
            {stopped && (
              <section class="where" aria-labelledby="where">
                <h3 id="where">
                  <Icon name="bash" class="i-14 c-run" /> Answer in the agent’s terminal or window
                </h3>
                <p>Trackway only records the question. Answer the agent in the program where it runs.</p>
                <dl class="kv">
                  {facts.map(
                    ([name, value]) =>
                      value && (
                        <div key={name} class="contents">
                          <dt>{name}</dt>
                          <dd class="row">
                            <bdi class="mono">{truncate(value, 300)}</bdi>
                            <CopyButton text={value} label={`Copy the ${name.toLowerCase()}`} />
                          </dd>
                        </div>
                      ),
                  )}
                </dl>
              </section>
            )}
            {events.nodes.length > 0 && (
              <section aria-labelledby="before">
                <h3 id="before">Events before</h3>
                <ul class="links just-before">
                  {events.nodes.map((event) => (
                    <li key={event.id}>
                      <a class="row" href={`/sessions/${id}/events/${event.id}`}>
                        <Icon
                          name={event.kind === "turn" ? "turn" : getToolIcon(event.primitiveName)}
                          class="i-14 dim"
                        />
                        <bdi class={event.success ? "strong" : "strong c-fail"}>{event.primitiveName}</bdi>
                        <bdi class="cut grow mono dim">
                          {truncate(removeAnsi(event.args ?? "").replaceAll(/\s+/g, " "), 160)}
                        </bdi>
                        <span class="dim num">
                          <Age at={event.timestamp} />
                        </span>
                      </a>
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </>
        );
      }}
    </LoadedContent>
  );
}
