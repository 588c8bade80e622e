import { type ComponentType, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { live } from "../data/realtime.ts";
import { Failure } from "../parts/states.tsx";
import { Page } from "./page.tsx";

type Content = ComponentType<{ params: Record<string, string> }>;

/** A page that is loaded when it is first shown. Without a connection it says so, and loads once there is one. */
export function lazy(load: () => Promise<{ default: Content }>): Content {
  let loaded: Content | undefined;
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
    if (!failed) return null;
    return (
      <Page title="Not loaded">
        <Failure words="This page could not be loaded. It loads by itself once the server answers." retry={retry} />
      </Page>
    );
  };
}
