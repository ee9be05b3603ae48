/** Elements of a page that was opened: what it drew is left out, and drawn again by the copy. */
const kDrawn = 'page';

/** The browser has read the page to its end. */
function pageIsRead(): Promise<void> {
  if (document.readyState !== 'loading') return Promise.resolve();
  return new Promise((resolve) => document.addEventListener('DOMContentLoaded', () => resolve(), { once: true }));
}

/** This page as a file, with a JSON element of this id, which replaces the one that it has. `json` has no '<'. */
export async function copyOfPage(id: string, json: string): Promise<string> {
  await pageIsRead();
  const copy = document.documentElement.cloneNode(true) as HTMLElement;
  copy.querySelector(`#${kDrawn}`)?.replaceChildren();
  copy.querySelector(`#${id}`)?.remove();
  for (const element of [copy, ...copy.querySelectorAll('body')])
    for (const { name } of [...element.attributes]) if (name !== 'lang') element.removeAttribute(name);
  const element = document.createElement('script');
  element.type = 'application/json';
  element.id = id;
  element.textContent = json;
  copy.querySelector('#sonde-report')?.after(element);
  return `<!doctype html>\n${copy.outerHTML}\n`;
}
