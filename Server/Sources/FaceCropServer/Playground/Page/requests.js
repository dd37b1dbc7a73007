// Requests to this server. URLs are signed by the server.

let facts;
/** The image: `source` below the folder, or a `file` of the client. */
const state = { preset: "avatar", source: null, file: null, options: new Map(), size: "320", format: "webp" };

/** The unsigned URL of a crop, or with the kind "meta" of its facts. */
function address(preset, size, format, kind = "crop") {
  const query = new URLSearchParams();
  if (!state.file) query.set("src", state.source);
  for (const [name, value] of state.options) {
    // The server refuses a quality that has no effect, and level eyes in the largest region.
    const isIdle = name === "quality" ? ["png", "gif"].includes(format)
      : name === "align" && (preset === "fill" || preset.startsWith("social-"));
    if (!isIdle) query.set(name, value);
  }
  const text = query.toString().replaceAll("+", "%20");
  return `/${kind}/${preset}/${size}${format ? "." + format : ""}?${text}`;
}

async function json(response) {
  const body = await response.json().catch(() => ({ message: `status ${response.status}` }));
  if (!response.ok) throw new Error(body.message);
  return body;
}

/** The URLs with signatures, if this server has a key. */
async function signed(urls, signal) {
  if (!facts.signs) return urls;
  const response = await fetch("/playground/sign", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ urls }), signal,
  });
  return (await json(response)).urls;
}

// The server limits the waiting requests, so the page sends few at once.
const waiting = [];
let running = 0;
async function turn(action) {
  if (running >= 4) await new Promise(resolve => waiting.push(resolve));
  running += 1;
  try {
    return await action();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

/** Requests a signed URL: the body, its media type, the time and the cache's state. */
function request(url, signal) {
  return turn(async () => {
    signal.throwIfAborted();
    const start = performance.now();
    const response = await fetch(url, { method: state.file ? "POST" : "GET", body: state.file, cache: "no-store", signal });
    if (!response.ok) await json(response);
    const blob = await response.blob();
    const time = performance.now() - start;
    const status = response.headers.get("Cache-Status") || "";
    return { blob, time, type: blob.type, cache: state.file ? "not cached" : status.includes("hit") ? "hit" : "miss" };
  });
}

/** Shows a response in an image element, and frees the one before. */
async function show(image, blob) {
  const old = image.src;
  const address = image.src = URL.createObjectURL(blob);
  if (old.startsWith("blob:")) URL.revokeObjectURL(old);
  // A newer response may have taken its place.
  await image.decode().catch(error => { if (image.src === address) throw error; });
}
