// Elements of the page, made without any HTML as text: nothing that a report holds can become markup.

function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (key === "class") {
      element.className = value;
    } else {
      element.setAttribute(key, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

const byId = (id) => document.getElementById(id);

function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
}

function say(words) {
  byId("said").textContent = words;
}

function plural(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

function day(started) {
  return String(started || "").slice(0, 10);
}

function minute(started) {
  return String(started || "").slice(0, 16).replace("T", " ") + " UTC";
}

// What becomes of a check: its sign in a box. The sign and the title say it too, not the colour alone.
function sign(state, words) {
  return h("span", { class: `sign is-${state.id}`, title: words || state.words }, state.sign);
}

// A name with places to break it after each underscore.
function breakable(name) {
  return name.split(/(?<=_)/).flatMap((part, at) => (at ? [h("wbr"), part] : [part]));
}

// "ROCm/ATOM PR 2910", "sgl-project/sglang#123" and addresses become links; all else stays as it is.
function linked(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(/https:\/\/[^\s<>"')\]]+|\b([\w.-]+\/[\w.-]+)(?:#| #| PR #?| issue #?)(\d+)\b/g)) {
    parts.push(text.slice(at, found.index));
    const address = found[1] ? `https://github.com/${found[1]}/issues/${found[2]}` : found[0];
    parts.push(h("a", { href: address, rel: "noreferrer noopener", target: "_blank" }, found[0]));
    at = found.index + found[0].length;
  }
  return [...parts, text.slice(at)];
}

async function copy(text, button) {
  const before = button.textContent;
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "unseen", "aria-hidden": "true" });
    area.value = text;
    (button.closest("dialog") || document.body).append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
    button.focus();
  }
  say(done ? "copied" : "the browser doesn't allow copying");
  button.textContent = done ? "copied" : "can't copy";
  setTimeout(() => (button.textContent = before), 1600);
}

function copyButton(words, text, more) {
  return h(
    "button",
    { type: "button", class: "copy", ...more, on: { click: (event) => copy(text(), event.currentTarget) } },
    words,
  );
}
