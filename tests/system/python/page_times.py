#!/usr/bin/python3
"""How long a page takes to load and to draw each step of a zoom in Chromium: page_times.py PAGE.html. The wall clock counts
whatever else the machine does, the processor's time of the page's own thread does not."""
import pathlib
import sys

import browser

ZOOM = """new Promise(done => {
  const canvas = document.getElementById("%s"), times = [];
  canvas.scrollIntoView();
  let last = 0;
  const step = now => {
    if (last) times.push(now - last);
    last = now;
    if (times.length === 60) return done(times.slice(5));
    canvas.dispatchEvent(new KeyboardEvent("keydown", {key: times.length %% 20 < 10 ? "+" : "-"}));
    requestAnimationFrame(step);
  };
  setTimeout(() => requestAnimationFrame(step), 1500);
})"""


def busy(chromium):
    return {m["name"]: m["value"] for m in chromium.call("Performance.getMetrics")["metrics"]}["TaskDuration"]


def main(page):
    with browser.Browser() as chromium:
        chromium.call("Performance.enable", timeDomain="threadTicks")
        chromium.open(page)
        shown = chromium.run("new Promise(done => setTimeout(() => done(performance.timing.loadEventEnd - performance.timing.navigationStart)))")
        print(f"load: {shown} ms, {1e3 * busy(chromium):.0f} ms of the processor")
        for canvas in ("timeline", "graph"):
            before = busy(chromium)
            times = sorted(chromium.run(ZOOM % canvas))
            used = 1e3 * (busy(chromium) - before) / 60
            print(f"zoom of the {canvas}: {times[len(times) // 2]:.1f} ms a frame, {times[-len(times) // 20]:.1f} ms in 95 of 100, "
                  f"{used:.1f} ms of the processor")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
