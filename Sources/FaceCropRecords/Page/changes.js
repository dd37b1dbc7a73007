// What is changed in this page. `store` has what is saved: in a file (`file-store.js`), or by a server (`server-store.js`).

/** By the entry's index: its frames, of which some may be rejected, that are not saved yet. */
const changes = new Map();

function framesOf(entry) {
  const changed = changes.get(entry.index);
  if (changed) return changed;
  entry.frames ||= store.savedFrames(entry) || (entry.crops || []).map(crop => frameOf(crop, entry));
  return entry.frames;
}

/** Whether its frame was corrected for another file or other options, so that somebody has to choose. */
const isOutdated = entry => entry.reason?.kind === "correction" && !store.previewOf(entry);

const isEditable = entry => Boolean(entry.width && (entry.crops || entry.middle));

/** Nil takes back what was changed of it. */
function change(entry, frames) {
  if (frames) changes.set(entry.index, frames);
  else changes.delete(entry.index);
  store.changed(entry);
  showChanges(entry);
}

function reject(entry, which, isRejected) {
  change(entry, framesOf(entry).map((frame, index) =>
    which === null || which === index ? { ...frame, isRejected } : frame));
}

window.addEventListener("beforeunload", event => {
  if (!store.isSaved) event.preventDefault();
});

/** One JSON object a line, as `--plan-in` takes them: of what is changed here, and of what earlier plans have changed. */
function plansText() {
  const lines = [JSON.stringify({ format: "facecrop-plans", version: 1 })];
  for (const entry of data.entries) {
    if (!store.hasPlan(entry)) continue;
    const crops = framesOf(entry).filter(frame => !frame.isRejected).map(frame => cropOf(frame, entry));
    const plan = {
      version: 1, source: { width: entry.width, height: entry.height }, rotation: entry.rotation,
      animationFrame: entry.animationFrame, detector: entry.detector, faces: entry.faces || [],
      facesAreComplete: entry.facesAreComplete, possibleFace: entry.possibleFace, crops,
    };
    lines.push(JSON.stringify({
      input: entry.input, inputBase64: entry.inputBase64, location: entry.location,
      locationBase64: entry.locationBase64, bytes: entry.bytes, content: entry.content, plan,
    }));
  }
  return lines.join("\n") + "\n";
}
