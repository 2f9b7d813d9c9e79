// kept.js: what a reader chose, kept by the browser for the next visit.

export function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;  // pages from files may have no storage
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // the choice then lasts as long as the page
  }
}
