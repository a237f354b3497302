/** Every shortcut of the chat; each needs a modifier, and none approves. */
export const shortcuts = {
  toggle: 'KeyK',
  new: 'KeyN',
  stop: 'Period',
  now: 'Enter',
  approval: 'KeyA',
  keys: 'KeyH',
} as const

/** The shortcut that a key means with Ctrl and Alt, or Alt and an arrow; AltGr writes characters and means none. */
export function shortcutOf(event: KeyboardEvent): string | null {
  if (event.getModifierState('AltGraph') || event.shiftKey || event.metaKey || !event.altKey) return null
  if (!event.ctrlKey) return { ArrowUp: 'before', ArrowDown: 'after' }[event.code] ?? null
  const found = Object.entries(shortcuts).find(([, code]) => code === event.code)
  return found?.[0] ?? null
}

/** True while an input method composes characters. */
export function isTyping(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229
}
