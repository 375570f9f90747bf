// Markdown of a model, as elements. Markup in it is shown as text, so that nothing of it can act in the page.
import highlighter from "highlight.js/lib/common";
import MarkdownIt from "markdown-it";

/** Longer code is not coloured: it would hold up the page. */
const MOST_COLOURED = 20_000;

const markdown = new MarkdownIt({
  html: false,
  linkify: true,
  highlight(code, language) {
    if (code.length > MOST_COLOURED || !highlighter.getLanguage(language)) return "";
    return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
  },
});
// An image would be fetched from wherever the model says; its address stays readable as a link.
markdown.disable("image");

export function rendered(text: string): HTMLElement {
  const made = document.createElement("div");
  made.className = "markdown";
  made.innerHTML = markdown.render(text);
  return made;
}
