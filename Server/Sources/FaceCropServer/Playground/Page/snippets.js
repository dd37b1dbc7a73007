// The texts to copy.

const quoted = text => JSON.stringify(text);
const attribute = text => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
const shell = text => `'${text.replaceAll("'", "'\\''")}'`;

/** Titles and texts for a signed path; `sources` are pairs of signed paths and widths for `srcset`. */
function snippetsOf(path, sources, size) {
  const url = location.origin + path;
  const name = `${state.preset.replace(":", "-")}.${state.format === "auto" ? "jpg" : state.format}`;
  if (state.file) {
    return [
      ["URL (POST)", url],
      ["curl", `curl ${shell(url)} --data-binary @photo.jpg -o ${name}`],
      ["Python", `import urllib.request\n\nbody = open("photo.jpg", "rb").read()\nrequest = urllib.request.Request(${quoted(url)}, data=body, headers={"Content-Type": "image/jpeg"})\nopen(${quoted(name)}, "wb").write(urllib.request.urlopen(request).read())`],
      ["Swift", `import Foundation\n\nvar request = URLRequest(url: URL(string: ${quoted(url)})!)\nrequest.httpMethod = "POST"\nlet (image, _) = try await URLSession.shared.upload(for: request, fromFile: URL(filePath: "photo.jpg"))\ntry image.write(to: URL(filePath: ${quoted(name)}))`],
      ["JavaScript", `const response = await fetch(${quoted(url)}, { method: "POST", body: file });\nconst image = await response.blob();`],
    ];
  }
  const set = sources.map(([source, width]) => `${location.origin}${source} ${width}w`).join(",\n    ");
  return [
    ["URL", url],
    ["HTML", `<img src="${attribute(url)}"\n  srcset="${attribute(set)}"\n  sizes="${size.width}px" width="${size.width}" height="${size.height}" alt="">`],
    ["curl", `curl ${shell(url)} -o ${name}`],
    ["Python", `import urllib.request\n\nimage = urllib.request.urlopen(${quoted(url)}).read()\nopen(${quoted(name)}, "wb").write(image)`],
    ["Swift", `import Foundation\n\nlet (image, _) = try await URLSession.shared.data(from: URL(string: ${quoted(url)})!)\ntry image.write(to: URL(filePath: ${quoted(name)}))`],
    ["JavaScript", `const response = await fetch(${quoted(url)});\nconst image = await response.blob();`],
  ];
}

async function copy(text, button, title) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without a secure origin, browsers only copy a selection.
    const area = make("textarea", { value: text, className: "hidden" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.textContent = "Copied";
  $("copied").textContent = `${title} copied`;
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

let shownSnippets = "";

function showSnippets(snippets) {
  // A button that stays the same is not replaced while somebody presses it.
  const texts = JSON.stringify(snippets);
  if (texts === shownSnippets) return;
  shownSnippets = texts;
  $("snippets").replaceChildren(...snippets.map(([title, text]) => {
    const button = make("button", { type: "button", textContent: "Copy", ariaLabel: `Copy ${title}` });
    button.addEventListener("click", () => copy(text, button, title));
    const code = make("pre", { tabIndex: 0, textContent: text, role: "group", ariaLabel: title });
    code.dataset.title = title;
    return make("div", {}, make("div", { className: "row" }, make("h3", { textContent: title }), button), code);
  }));
}
