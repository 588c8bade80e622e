import { type ComponentType, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure } from "../parts/states.tsx";

type Page = ComponentType<{ params: Record<string, string> }>;

/** A page that is loaded when it is first shown. */
export function lazy(load: () => Promise<{ default: Page }>): Page {
  let loaded: Page | undefined;
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
    if (loaded) return h(loaded, props);
    if (failed) return <Failure words="This page could not be loaded." retry={() => setFailed(false)} />;
    return null;
  };
}
