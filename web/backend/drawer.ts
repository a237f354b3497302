/** Moves the focus into a drawer that has just opened: to where one is in it, else to its first stop. */
export function focusInside(event: ToggleEvent): void {
  if (event.newState !== 'open') return
  const drawer = event.target as HTMLElement
  const here = drawer.querySelector<HTMLElement>('[aria-current=page], [role=treeitem][tabindex="0"]')
  const target = here ?? drawer.querySelector<HTMLElement>('a[href], button, input')
  target?.focus()
}
