import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A part of the page that is loaded when it is first shown: whoever opens the roll does not wait for the others. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const [state, set] = useState<"ready" | "loading" | "failed">(loaded === undefined ? "loading" : "ready");
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          set("ready");
        },
        () => set("failed"),
      );
    }, []);
    if (state === "failed")
      return (
        <div class="empty" role="alert">
          <h1 class="empty-title">This page could not be loaded: the watcher is away, or is a newer one.</h1>
          <button type="button" onClick={() => location.reload()}>
            Load it again
          </button>
        </div>
      );
    if (loaded === undefined) return <p class="quiet">Loading …</p>;
    const Loaded = loaded;
    return <Loaded {...props} />;
  };
}
