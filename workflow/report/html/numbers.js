// Numbers as text, and places for the ticks of an axis. No page is needed: tests/pages runs this file by itself.
"use strict";
const whole = n => Math.round(n).toLocaleString("en-US");
const short = n => n >= 1e9 ? (n / 1e9).toFixed(2) + " G" : n >= 1e6 ? (n / 1e6).toFixed(2) + " M"
  : n >= 1e4 ? (n / 1e3).toFixed(1) + " k" : whole(n);
const bytes = n => short(n) + (n >= 1e4 ? "B" : " B");
/** Sizes of memories, in the form of io::size_text() of base/readable_number.hpp. */
function sizeText(n) {
  if (n < 1024) return `${n} bytes`;
  const names = ["KiB", "MiB", "GiB", "TiB"];
  let value = n / 1024, name = 0;
  for (; value >= 1024 && name + 1 < names.length; ++name) value /= 1024;
  return `${value.toFixed(value < 10 ? 2 : value < 1000 ? 1 : 0)} ${names[name]}`;
}
/** A text with its large numbers in groups of three digits. */
const grouped = text => text.replace(/\b\d{5,}\b/g, digits => whole(Number(digits)));
const percent = share => (100 * share).toFixed(1) + " %";

/** The least of 1, 2, 5, 10, 20, ... that is not below `least`, which is positive. */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least)), found = [1, 2, 5, 10].find(n => n * power >= least * (1 - 1e-12));
  return found * power;
}
/** Round numbers from `from` to `to`, at most `most` of them and one more. */
function linearTicks(from, to, most) {
  if (!(to > from)) return [from];
  const step = roundStep((to - from) / most), ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-12); ++i) ticks.push(+(i * step).toPrecision(12));
  return ticks;
}
/** 1, 2 and 5 times powers of ten within a range of positive numbers; the powers alone where those are enough. */
function logTicks(from, to, most = 8) {
  const within = factors => {
    const ticks = [];
    for (let e = Math.floor(Math.log10(from)) - 1; e <= Math.ceil(Math.log10(to)); ++e)
      for (const factor of factors) {
        const tick = +(factor * 10 ** e).toPrecision(6);
        if (tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9)) ticks.push(tick);
      }
    return ticks;
  };
  const powers = within([1]), all = within([1, 2, 5]);
  return powers.length >= 2 && all.length > most ? powers : all.length > 2 ? all : linearTicks(from, to, 4);
}
/** A colour of text that can be read on a fill "#rrggbb", by relative luminance (WCAG 2.1). */
function inkOn(fill) {
  const channel = at => { const c = parseInt(fill.slice(at, at + 2), 16) / 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return luminance > 0.179 ? "#000000" : "#ffffff";
}
