/** How a run is asked to end. */
export type Stopper = {
  /** Aborted by the first signal: the run ends after the iteration. */
  readonly stop: AbortSignal
  /** Aborted by the second signal: the run ends now. */
  readonly abort: AbortSignal
  /** As if the signal came now. */
  readonly hear: (signal: NodeJS.Signals) => void
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
    hear,
    dispose: () => {
      process.off('SIGINT', hear)
      process.off('SIGTERM', hear)
    },
  }
}

/** Keeps the first signal until something is there that can hear it: it would end yoke and leave behind what it has made. */
export const holdSignals = () => {
  let held: NodeJS.Signals | undefined
  const hold = (signal: NodeJS.Signals) => {
    held ??= signal
  }
  process.on('SIGINT', hold)
  process.on('SIGTERM', hold)
  return {
    held: (): NodeJS.Signals | undefined => held,
    release: (): void => {
      process.off('SIGINT', hold)
      process.off('SIGTERM', hold)
    },
  }
}
