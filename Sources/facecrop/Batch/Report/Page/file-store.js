// A page without a server: corrections stay in the page until the browser saves them as a plans file.

/** By the entry's index: the frames that were taken back last. */
const undone = new Map();

const store = {
  isSaved: true,
  saveTitle: "Save plans",
  inputOf: entry => entry.link,
  outputOf: (entry, index) => entry.outputs[index].link,
  thumbnailOf: (entry, index) => `${data.thumbnails}${entry.thumbnail}${index === undefined ? "" : `-${index + 1}`}.jpg`,
  savedFrames: () => null,
  /** The frames to draw in place of the outputs, which show earlier ones; nil if the outputs are up to date. */
  previewOf: entry => changes.get(entry.index) || null,
  noteOf: () => "",
  hasPlan: entry => changes.has(entry.index) || Boolean(entry.planned),
  isCorrected: entry => changes.has(entry.index),
  canSave: () => changes.size > 0,
  changed(entry) {
    undone.delete(entry.index);
    store.isSaved = changes.size === 0;
  },
  canUndo: entry => changes.has(entry.index),
  canRedo: entry => undone.has(entry.index),
  undo(entry) {
    const frames = changes.get(entry.index);
    change(entry, null);
    undone.set(entry.index, frames);
    showChanges(entry);
  },
  redo: entry => change(entry, undone.get(entry.index)),
  save() {
    if (!changes.size) return;
    const address = URL.createObjectURL(new Blob([plansText()], { type: "application/x-ndjson" }));
    make("a", { href: address, download: data.plans }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    store.isSaved = true;
    showChanges(null);
    const rejects = [...changes.values()].some(frames => frames.some(frame => frame.isRejected));
    $("command").textContent = data.command + (rejects && !data.prunes && !data.hides ? " --prune" : "");
    $("next").hidden = false;
  },
};
