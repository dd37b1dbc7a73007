// What the manifest says: totals, and a row for each input, of which as many are made as are looked at.

const statuses = [["cropped", data.hides ? "hidden" : "cropped"], ["no-face", "no face"], ["failed", "failed"], ["skipped", "skipped"]];
const step = 60;

const isOpaque = ({ file }) => /\.jpe?g$/i.test(file);

/** What a check of the outputs by the preset's rules has found, in words; empty where none was made. */
function rulesOf(entry) {
  const checked = (entry.outputs || []).map(output => output.missedRules).filter(Boolean);
  const missed = [...new Set(checked.flat())];
  return !checked.length ? "" : missed.length ? "misses " + missed.join(", ") : "keeps the rules";
}

// What is weak about a crop: that a face in it is unsure, small, or at the picture's edge.
function describe(entry, index) {
  entry.index = index;
  const faces = (entry.faces || []).filter(({ x, y, width, height }) => (entry.crops || []).some(({ region }) =>
    x + width / 2 >= region.x && x + width / 2 <= region.x + region.width
    && y + height / 2 >= region.y && y + height / 2 <= region.y + region.height));
  const least = (values) => values.length ? Math.min(...values) : null;
  entry.score = least(faces.map(face => face.score));
  entry.sharpness = least(faces.map(face => face.sharpness).filter(value => value !== undefined));
  const shortSide = Math.min(entry.width || 0, entry.height || 0);
  entry.share = faces.length && shortSide ? Math.min(...faces.map(face => face.height * entry.height / shortSide)) : null;
  // A head's outline decides the frame, so its crown and chin must be sure.
  entry.headConfidence = least(faces.filter(face => face.head).flatMap(({ head }) => [head.crown.confidence, head.chin.confidence]));
  entry.atEdge = faces.some(({ x, y, width, height }) =>
    Math.min(x, y, 1 - x - width, 1 - y - height) < 0.01);
  entry.cutout = least((entry.outputs || []).map(output => output.cutout).filter(value => value !== undefined)) ?? 1;
  const isDoubtful = entry.cutout < data.leastCutout;
  entry.total = entry.milliseconds ? sum(entry.milliseconds) : null;
  entry.flags = entry.status !== "cropped" ? [] : [
    (entry.score ?? 1) < 0.8 && "low score", (entry.share ?? 1) < 0.08 && "small face", entry.atEdge && "at the edge",
    (entry.sharpness ?? 1) < 0.3 && "soft", (entry.headConfidence ?? 1) < 0.7 && "doubtful head",
    isDoubtful && "doubtful cut-out",
  ].filter(Boolean);
  // Nothing where no rules were looked at.
  entry.missed = (entry.outputs || []).flatMap(output => output.missedRules || []);
  const group = { "failed": 3, "no-face": 2, "cropped": 1, "skipped": 0 }[entry.status];
  // A doubtful cut-out comes before all that is weak.
  const weakness = entry.status !== "cropped" ? 0 : isDoubtful ? 9 - entry.cutout : entry.score === null ? 0
    : (1 - entry.score) + Math.max(0, 1 - entry.share / 0.1) + (entry.atEdge ? 0.5 : 0);
  entry.badness = group * 10 + Math.min(weakness, 9);
  const people = [...(entry.people || []), ...(entry.faces || []).map(face => face.name || "")].join(" ");
  entry.words = (entry.input + " " + people + " " + (entry.reason ? entry.reason.kind + " " + entry.reason.message : "") + " "
    + entry.flags.join(" ") + ((entry.outputs || []).some(output => output.kept) ? " kept: changed by hand " : " ") + rulesOf(entry) + " " + (entry.warnings || []).join(" ")).normalize().toLowerCase();
}
for (const [index, entry] of data.entries.entries()) describe(entry, index);

// Totals and histograms.
const countOf = status => data.entries.filter(entry => entry.status === status).length;
const outputs = sum(data.entries.map(entry => (entry.outputs || []).length));
$("about").textContent = `${counted(data.entries.length, "input")}, ${counted(outputs, "output")}, `
  + `${counted(sum(data.entries.map(entry => (entry.faces || []).length)), "face")}, from ${data.manifest}`;

function histogram(title, values, unit, low, high, label) {
  const bins = new Array(24).fill(0);
  for (const value of values) {
    bins[Math.min(Math.max(Math.floor((value - low) / (high - low) * bins.length), 0), bins.length - 1)] += 1;
  }
  const top = Math.max(...bins, 1);
  const bars = bins.map((count, index) => {
    const from = low + (high - low) * index / bins.length;
    const to = low + (high - low) * (index + 1) / bins.length;
    // Even one entry is to be seen.
    const height = count ? Math.max(count / top * 98, 2) : 0;
    return draw("rect", { x: index * 10 + 1, y: 100 - height, width: 8, height },
      draw("title", {}, `${label(from)} to ${index + 1 === bins.length ? "more" : label(to)}: ${count}`));
  });
  const median = values.length ? [...values].sort((a, b) => a - b)[values.length >> 1] : null;
  const description = values.length ? `median ${label(median)}, ${counted(values.length, unit)}` : "nothing to show";
  const svg = draw("svg", { viewBox: "0 0 240 100", preserveAspectRatio: "none", role: "img" }, ...bars);
  svg.setAttribute("aria-label", `${title}: ${description}`);
  return make("figure", {}, make("h2", { textContent: title }), svg,
    make("div", { className: "axis" }, make("span", { textContent: label(low) }),
      make("span", { textContent: description }), make("span", { textContent: label(high) })));
}
const percent = value => `${Math.round(value * 100)} %`;
const faces = data.entries.flatMap(entry => entry.faces || []);
const times = data.entries.filter(entry => entry.total).map(entry => entry.total).sort((a, b) => a - b);
const long = times.length ? Math.max(times[Math.floor((times.length - 1) * 0.98)] * 1.05, 1) : 1;
$("figures").append(
  histogram("Face score", faces.map(face => face.score), "face", 0.5, 1, value => value.toFixed(2)),
  histogram("Face height, as a share of the image", faces.map(face => face.height), "face", 0, 1, percent),
  histogram("Time per image", times, "image", 0, long, value => `${Math.round(value)} ms`));

// Entries.
function overlay(entry) {
  const svg = draw("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
  if (!entry.width) return svg;
  svg.setAttribute("viewBox", `0 0 ${entry.width} ${entry.height}`);
  for (const frame of framesOf(entry).filter(({ isRejected }) => !isRejected)) svg.append(outline("under", frame), outline("region", frame));
  for (const face of entry.faces || []) svg.append(...marksOf(face, entry));
  return svg;
}
function picture(source, alternative, width, height) {
  const sides = width && height ? { width, height } : {};
  return make("img", { loading: "lazy", decoding: "async", alt: alternative, ...sides, src: source });
}
function sidesWithin(side, width, height) {
  const factor = Math.min(side / Math.max(width, height), 1);
  return [Math.max(Math.round(width * factor), 1), Math.max(Math.round(height * factor), 1)];
}
/** Whether an entry's row has the button that opens the editor. */
const hasButton = entry => isEditable(entry) && Boolean(entry.thumbnail);
/** The rows that are there. */
const rows = new Map();
function row(entry) {
  const faces = entry.faces || [];
  let input;
  if (entry.thumbnail) {
    const canEdit = isEditable(entry);
    const button = { type: "button", title: "Edit the frames", onclick: () => edit(entry) };
    input = make(canEdit ? "button" : "div", { className: "input", ...(canEdit ? button : {}) });
    if (canEdit) input.setAttribute("aria-label", `Edit ${entry.input}: ${counted(faces.length, "face")}`);
    input.append(
      picture(store.thumbnailOf(entry), `Input with ${faces.length} faces marked`,
        ...(entry.width ? sidesWithin(240, entry.width, entry.height) : [])),
      overlay(entry));
  } else {
    input = make("div", { className: "nothing", textContent: "no thumbnail" });
  }
  const made = make("div", { className: "outputs" });
  const changed = store.previewOf(entry);
  if (changed) made.append(...changed.map(frame => make("div", { className: "result" + (frame.isRejected ? " rejected" : "") },
    windowOf(frame, entry, store.thumbnailOf(entry), 140), frame.isRejected ? (data.hides ? "not hidden" : "rejected") : "changed")));
  for (const [index, output] of changed ? [] : (entry.outputs || []).entries()) {
    const link = make("a", { href: store.outputOf(entry, index), title: output.file });
    // The thumbnail is that of the output that would have replaced the file.
    if (entry.thumbnail && index < data.outputsShown && !output.kept) {
      link.append(picture(store.thumbnailOf(entry, index), `Output ${output.file}`,
        ...sidesWithin(140, output.width, output.height)));
      // The thumbnail has no transparency.
      if (output.cutout < data.leastCutout && !isOpaque(output)) {
        link.append(picture(store.outputOf(entry, index), "The same, transparent"));
      }
    }
    link.append(index < data.outputsShown && !output.kept ? `${output.width} × ${output.height}` : output.file);
    made.append(link);
    if (output.kept) made.append(make("span", { className: "badge no-face", textContent: "kept: changed by hand" }));
    if (output.padded) made.append(make("span", { className: "badge no-face", textContent: `${percent(output.padded)} filled` }));
    const missed = output.missedRules;
    if (missed) made.append(make("span", { className: missed.length ? "badge no-face" : "badge cropped", textContent: rulesOf({ outputs: [output] }) }));
  }
  const facts = make("div", { className: "facts" },
    make("p", { className: "name", textContent: entry.input }),
    make("p", {}, make("span", { className: "badge " + entry.status, textContent: title(entry.status) }),
      ...(store.isCorrected(entry) ? [make("span", { className: "badge changed", textContent: "changed" })] : []),
      ...entry.flags.map(flag => make("span", { className: "badge no-face", textContent: flag }))));
  const add = (className, text) => text && facts.append(make("p", { className, textContent: text }));
  add("", (entry.people || []).join(", "));
  add("reason note", store.noteOf(entry));
  add("reason", entry.reason?.message);
  if (isOutdated(entry) && isEditable(entry)) {
    const ways = [["Use the old frame", () => change(entry, framesOf(entry))]];
    if (store.afresh) ways.push(["Crop it afresh", () => store.afresh(entry)]);
    facts.append(...ways.map(([textContent, onclick]) => make("button", { type: "button", textContent, onclick })));
  }
  add("quiet", [
    entry.width && `${entry.width} × ${entry.height}`, entry.faces && counted(faces.length, "face"),
    entry.score !== null && `score ${entry.score.toFixed(2)}`,
    entry.sharpness !== null && `sharpness ${entry.sharpness.toFixed(2)}`, entry.total && `${Math.round(entry.total)} ms`,
  ].filter(Boolean).join(", "));
  for (const warning of entry.warnings || []) add("quiet reason", "Warning: " + warning);
  const item = make("li", {}, input, made, facts);
  item.dataset.status = entry.status;
  rows.set(entry, item);
  return item;
}
const title = status => statuses.find(([name]) => name === status)[1];

// What is shown is kept in the address, so that it can be linked to.
const state = { status: "", only: "", q: "", sort: "worst" };
let chosen = [];
let shown = 0;

/** What can be weak about an entry, whatever its status. */
const kinds = [
  ["", "every kind", () => true],
  ["no-face", "no face", entry => entry.status === "no-face"],
  ["several", "several faces", entry => (entry.faces || []).length > 1],
  ...[["small", "small face"], ["soft", "soft"], ["head", "doubtful head"], ["cutout", "doubtful cut-out"]]
    .map(([kind, flag]) => [kind, flag, entry => entry.flags.includes(flag)]),
  ["rules", "fails check", entry => entry.missed.length > 0],
  ...[...new Set(data.entries.flatMap(entry => entry.warningKinds || []))].sort()
    .map(kind => [`warning-${kind}`, `warning: ${kind}`, entry => Boolean(entry.warningKinds?.includes(kind))]),
];
const folderOf = entry => entry.input.slice(0, entry.input.lastIndexOf("/") + 1);
const compared = (a, b) => a < b ? -1 : a > b ? 1 : 0;

function choose() {
  const words = state.q.normalize().toLowerCase().split(/\s+/).filter(Boolean);
  const fits = entry => !state.status || (state.status === "changed" ? store.isCorrected(entry) : entry.status === state.status);
  const isOfKind = kinds.find(([kind]) => kind === state.only)[2];
  chosen = data.entries.filter(entry => fits(entry) && isOfKind(entry)
    && words.every(word => entry.words.includes(word)));
  const orders = {
    worst: (a, b) => b.badness - a.badness || a.index - b.index,
    name: (a, b) => compared(a.input.slice(folderOf(a).length), b.input.slice(folderOf(b).length)) || compared(a.input, b.input),
    folder: (a, b) => compared(folderOf(a), folderOf(b)) || compared(a.input, b.input),
    score: (a, b) => (a.score ?? 2) - (b.score ?? 2) || a.index - b.index,
    order: (a, b) => a.index - b.index,
    soft: (a, b) => (a.sharpness ?? 2) - (b.sharpness ?? 2) || a.index - b.index,
    rules: (a, b) => b.missed.length - a.missed.length || a.index - b.index,
    slow: (a, b) => (b.total || 0) - (a.total || 0) || a.index - b.index,
  };
  chosen.sort(orders[state.sort]);
  shown = 0;
  rows.clear();
  $("list").replaceChildren();
  showMore();
  for (const button of $("statuses").children) button.setAttribute("aria-pressed", button.value === state.status);
}
function showMore() {
  const next = chosen.slice(shown, shown + step);
  $("list").append(...next.map(row));
  shown += next.length;
  $("more").hidden = shown >= chosen.length;
  $("shown").textContent = chosen.length === 0 ? "No entries match."
    : `${number.format(shown)} of ${number.format(chosen.length)} shown`;
}
function remember() {
  const parts = new URLSearchParams();
  for (const key in state) if (state[key] && state[key] !== "worst") parts.set(key, state[key]);
  history.replaceState(null, "", parts.size ? "#" + parts : location.pathname + location.search);
}
function select(name, value) {
  state[name] = value;
  remember();
  choose();
}
function recall() {
  const parts = new URLSearchParams(location.hash.slice(1));
  state.status = [...$("statuses").children].some(({ value }) => value === parts.get("status")) ? parts.get("status") : "";
  state.q = parts.get("q") || "";
  state.sort = [...$("sort").options].some(option => option.value === parts.get("sort")) ? parts.get("sort") : "worst";
  state.only = kinds.some(([kind]) => kind === parts.get("only")) ? parts.get("only") : "";
  $("query").value = state.q;
  $("only").value = state.only;
  $("sort").value = state.sort;
  choose();
}

for (const [status, name] of [["", "all"], ...statuses, ["changed", "changed"]]) {
  const onclick = () => select("status", status);
  $("statuses").append(make("button", { value: status, className: status, type: "button", onclick }, name + " ", make("b")));
}
for (const [kind, name, isOfKind] of kinds) {
  const count = kind ? ` (${number.format(data.entries.filter(isOfKind).length)})` : "";
  $("only").append(make("option", { value: kind, textContent: name + count }));
}
for (const name of ["only", "sort"]) $(name).addEventListener("change", () => select(name, $(name).value));
$("query").addEventListener("input", settled(() => select("q", $("query").value), 120));
$("more").addEventListener("click", showMore);
window.addEventListener("hashchange", recall);
recall();
$("save").textContent = store.saveTitle;
$("save").addEventListener("click", store.save);
$("copy").addEventListener("click", () => navigator.clipboard?.writeText($("command").textContent));

/** Draws what depends on an entry's changes; on none in particular, what depends on all. */
function showChanges(entry) {
  if (entry && rows.has(entry)) {
    const before = rows.get(entry);
    const isFocused = before.contains(document.activeElement);
    before.replaceWith(row(entry));
    if (isFocused) rows.get(entry).querySelector("button")?.focus({ preventScroll: true });
  }
  const corrected = data.entries.filter(store.isCorrected).length;
  for (const button of $("statuses").children) {
    const total = button.value === "changed" ? corrected : button.value ? countOf(button.value) : data.entries.length;
    button.dataset.count = total;
    button.querySelector("b").textContent = number.format(total);
  }
  $("save").disabled = !store.canSave();
  $("save").classList.toggle("unsaved", !store.isSaved);
  if (!store.isSaved) $("next").hidden = true;
  if (entry && entry === edited) drawEditor();
}
showChanges(null);
/** The next shown entry that fits, or the one before. */
function neighbor(entry, direction, fits) {
  const place = chosen.indexOf(entry);
  return direction > 0 ? chosen.slice(place + 1).find(fits) : chosen.slice(0, Math.max(place, 0)).findLast(fits);
}
function focusRow(entry) {
  while (chosen.indexOf(entry) >= shown && !$("more").hidden) showMore();
  const button = rows.get(entry)?.querySelector("button");
  if (!button) return;
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: "nearest" });
}

// Keys in the list.
document.addEventListener("keydown", event => {
  if (editor.open || event.altKey) return;
  if (event.target.closest("input, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const row = document.activeElement.closest("#list > li");
  const entry = row && chosen.find(other => rows.get(other) === row);
  const isStep = (event.ctrlKey || event.metaKey) && "zy".includes(event.key.toLowerCase());
  if (!isStep && (event.ctrlKey || event.metaKey)) return;
  const takeStep = (can, take) => {
    if (!entry || !can(entry)) return;
    take(entry);
    focusRow(entry);
  };
  const go = direction => focusRow(neighbor(entry, direction, hasButton));
  const run = {
    j: () => go(1), k: () => go(-1), s: () => store.canSave() && store.save(),
    e: () => entry && isEditable(entry) && edit(entry),
    x: () => {
      if (!entry || !isEditable(entry)) return;
      reject(entry, null, !framesOf(entry).every(frame => frame.isRejected));
      focusRow(entry);
    },
    u: () => takeStep(store.canUndo, store.undo), z: () => isStep && takeStep(store.canUndo, store.undo),
    r: () => takeStep(store.canRedo, store.redo), y: () => isStep && takeStep(store.canRedo, store.redo),
    Z: () => isStep && takeStep(store.canRedo, store.redo),
    "/": () => $("query").focus(),
  }[event.key];
  if (!run) return;
  event.preventDefault();
  run();
});

new IntersectionObserver(entries => {
  if (entries.some(entry => entry.isIntersecting) && !$("more").hidden) showMore();
}, { rootMargin: "800px" }).observe($("more"));
