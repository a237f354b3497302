/** Light or dark: what the system prefers, until the user chooses with the button, for this browser. */
const key = 'backend-theme'
type Theme = 'light' | 'dark'

/** Applies the choice that was made in this browser, if one was. */
export function restoreTheme(): void {
  const chosen = localStorage.getItem(key)
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
}

/** Changes to the other theme and keeps to it. */
export function switchTheme(): void {
  const theme: Theme = current() === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset.theme = theme
  localStorage.setItem(key, theme)
}

function current(): Theme {
  const chosen = document.documentElement.dataset.theme
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
