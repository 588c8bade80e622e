import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.tsx";

interface EmptyProps {
  icon: IconName;
  title: string;
  /** The first level where nothing else heads the page. */
  level?: "h1" | "h2";
  children?: ComponentChildren;
}

/** An empty list, and what to do about that. */
export function Empty({ icon, title, level: Heading = "h2", children }: EmptyProps) {
  return (
    <div class="none">
      <Icon name={icon} />
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}

interface MissingProps extends Partial<EmptyProps> {
  title: string;
  words: string;
  /** The link or the button that leads on. */
  to?: { name: string; href: string } | { name: string; press: () => void };
}

/** A subject that is not here, and the way on. */
export const Missing = ({ icon = "search", words, to, ...empty }: MissingProps) => (
  <Empty icon={icon} {...empty}>
    <p>{words}</p>
    {to && (
      <div class="row">
        {"href" in to ? (
          <a class="btn" href={to.href}>
            {to.name}
          </a>
        ) : (
          <button class="btn" type="button" onClick={to.press}>
            {to.name}
          </button>
        )}
      </div>
    )}
  </Empty>
);

/** Props of a subject that could not be read. */
export interface UnreadProps extends Omit<MissingProps, "words"> {
  error: { message: string; passing?: boolean };
  retry: () => void;
  /** Said of a missing subject in the place of the server's message. */
  words?: string;
}

/** A subject that could not be read: an error that passes can be tried again, after any other it is missing. */
export const Unread = ({ error, retry, words = error.message, ...missing }: UnreadProps) =>
  error.passing ? <Failure words={error.message} retry={retry} /> : <Missing words={words} {...missing} />;

/** An error of a form or of an action, where there is one. */
export const Problem = ({ words, icon }: { words: string; icon?: IconName }) =>
  words ? (
    <p class="err" role="alert">
      {icon && <Icon name={icon} class="i-14" />}
      {words}
    </p>
  ) : null;

/** An error, with a way to try again. */
export function Failure({ words, retry }: { words: string; retry?: () => void }) {
  return (
    <div class="none fail" role="alert">
      <Icon name="warn" />
      <h2>This could not be read</h2>
      <p>{words}</p>
      {retry && (
        <div class="row">
          <button class="btn" type="button" onClick={retry}>
            <Icon name="retry" class="i-14" />
            Try again
          </button>
        </div>
      )}
    </div>
  );
}

/** Lines where text will stand; not before 200 ms, so that what comes at once does not flicker. */
export function Skeleton({ lines = 8 }: { lines?: number }) {
  const [shown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="sk-list" role="status" aria-label="Loading">
      {shown &&
        Array.from({ length: lines }, (_, n) => (
          <span key={`line ${n}`} class="sk" style={{ width: `${60 + ((n * 29) % 37)}%` }} />
        ))}
    </div>
  );
}
