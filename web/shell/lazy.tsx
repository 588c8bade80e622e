import { type ComponentChild, type ComponentType, type FunctionComponent, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { live } from "../data/realtime.ts";
import { Failure } from "../parts/states.tsx";
import { Page } from "./page.tsx";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

/** A page that is loaded when it is first shown. Without a connection it says so, and loads once there is one. */
export const lazy = <Props extends object>(load: Load<Props>) =>
  loading(load, (retry) => (
    <Page title="Not loaded">
      <Failure words="This page could not be loaded. It loads by itself once the server answers." retry={retry} />
    </Page>
  ));

/** A part of a page, or a dialog over it, that is loaded when it is first shown, or once there is a connection. */
export const lazyPart = <Props extends object>(load: Load<Props>) => loading(load, () => null);

function loading<Props extends object>(
  load: Load<Props>,
  missing: (retry: () => void) => ComponentChild,
): FunctionComponent<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props) {
    const [, again] = useState(0);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (loaded || failed) return;
      load().then(
        (module) => {
          loaded = module.default;
          again((n) => n + 1);
        },
        () => setFailed(true),
      );
    }, [failed]);
    const retry = () => setFailed(false);
    useEffect(() => {
      if (!failed) return;
      const stop = live.subscribe((connected) => connected && retry());
      addEventListener("online", retry);
      return () => {
        stop();
        removeEventListener("online", retry);
      };
    }, [failed]);
    if (loaded) return h(loaded, props);
    return failed ? missing(retry) : null;
  };
}
