/** How a run is asked to end. */
export type Stopper = {
  /** Aborted by the first signal: the run ends after the iteration. */
  readonly stop: AbortSignal
  /** Aborted by the second signal: the run ends now. */
  readonly abort: AbortSignal
  readonly dispose: () => void
}

/** Listens for INT and TERM; `onStop` hears of the first one. */
export const listenForSignals = (onStop: (signal: NodeJS.Signals) => void): Stopper => {
  const stop = new AbortController()
  const abort = new AbortController()
  const hear = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) return abort.abort()
    stop.abort()
    onStop(signal)
  }
  process.on('SIGINT', hear)
  process.on('SIGTERM', hear)
  return {
    stop: stop.signal,
    abort: abort.signal,
    dispose: () => {
      process.off('SIGINT', hear)
      process.off('SIGTERM', hear)
    },
  }
}

/** Keeps signals until something is there that can hear them: between, they would end yoke and leave behind what it has made. */
export const holdSignals = (): { readonly release: () => void } => {
  const held: NodeJS.Signals[] = []
  const hold = (signal: NodeJS.Signals) => void held.push(signal)
  process.on('SIGINT', hold)
  process.on('SIGTERM', hold)
  return {
    release: () => {
      process.off('SIGINT', hold)
      process.off('SIGTERM', hold)
      for (const signal of held.splice(0)) process.kill(process.pid, signal)
    },
  }
}
