/** A schedule: runs an act again and again, never two at once. */
export type Schedule = { stop(): void }

/** Runs `act` every `intervalMs`; a failure is reported and the next run comes all the same. */
export function every(
  intervalMs: number,
  act: () => Promise<unknown>,
  report: (error: unknown) => void,
): Schedule {
  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    act()
      .catch(report)
      .finally(() => {
        isRunning = false
      })
  }, intervalMs)
  return { stop: () => clearInterval(timer) }
}
