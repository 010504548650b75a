// Rows of a table: order, search and export; and a comparison's verdict. No page is needed: tests/pages runs this file by itself.
/** A copy in the order of key(row); equal ones stay as they are. */
function sortedRows(rows, key, down) {
  const order = (a, b) => a < b ? -1 : a > b ? 1 : 0;
  return [...rows].sort((a, b) => order(key(a), key(b)) * (down ? -1 : 1));
}
/** The words of a search; a text matches if it has all of them, in any case. */
const searchWords = text => text.toLowerCase().split(/\s+/).filter(Boolean);
const matchesWords = (words, text) => words.every(word => text.toLowerCase().includes(word));

const csvCell = value => /[",\n\r]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
/** The columns of rows as a text: where a number is shown, all its digits without grouping, else the text that is shown. */
function delimited(columns, rows, separator) {
  const value = (column, row) => {
    const key = column.text ? undefined : column.key(row), shown = column.show(row);
    return typeof key === "number" && Number.isFinite(key) && /^[-+\u2212]?\d/.test(shown) ? String(key) : shown;
  };
  const cell = separator === "," ? csvCell : text => String(text).replace(/[\t\n\r]+/g, " ");
  return [columns.map(c => cell(c.name)), ...rows.map(row => columns.map(c => cell(value(c, row))))]
    .map(line => line.join(separator)).join("\n") + "\n";
}

/** View state of a page as the fragment of its address: "#layer=4&sort=MACs&zoom=100-200". */
function parseFragment(fragment) {
  const state = {};
  for (const [key, value] of new URLSearchParams(fragment.replace(/^#/, ""))) state[key] = value;
  return state;
}
function writeFragment(state) {
  const entries = Object.entries(state).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return entries.length ? "#" + new URLSearchParams(entries.map(([key, value]) => [key, String(value)])) : "";
}
/** Whether a comparison found a difference. Constants may differ although no output does on any input that was tried. */
function verdictText(isEqual, mismatches, otherConstants, compared) {
  if (isEqual) return `no difference found${otherConstants ? ", with other constants" : ""} (${compared})`;
  return `${whole(mismatches)} mismatch${mismatches === 1 ? "" : "es"}`;
}
