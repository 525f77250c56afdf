/** Why a watchdog calls for the end of a process. */
export type Alarm = 'iteration-timeout' | 'idle-timeout' | 'grace'

export type WatchdogOptions = {
  readonly iterationTimeoutMs?: number | undefined
  /** Silence between two lines. A running tool doubles it once, with a warning. */
  readonly idleTimeoutMs?: number | undefined
  /** Silence after a failure that the program tries to get over. More failures do not prolong it. */
  readonly troubledTimeoutMs?: number | undefined
  /** What a program may take to exit after its result. */
  readonly resultGraceMs: number
  readonly finished: () => boolean
  /** The tool that is running, in words for people. */
  readonly working: () => string | undefined
  readonly onWarning: (message: string) => void
  readonly onAlarm: (alarm: Alarm) => void
}

/** Watches one process by its lines: the time it takes, its silence, and that it exits after its result. */
export const startWatchdog = (options: WatchdogOptions) => {
  const { iterationTimeoutMs, idleTimeoutMs, troubledTimeoutMs, resultGraceMs } = options
  const { finished, working, onWarning, onAlarm } = options
  let warned = false
  let isTroubled = false
  let silence: NodeJS.Timeout | undefined
  const whole =
    iterationTimeoutMs === undefined
      ? undefined
      : setTimeout(() => onAlarm(finished() ? 'grace' : 'iteration-timeout'), iterationTimeoutMs)

  const onSilence = (): void => {
    const work = working()
    if (warned || work === undefined) {
      onAlarm('idle-timeout')
      return
    }
    warned = true
    onWarning(
      `The agent has been silent for ${inWords(idleTimeoutMs)} while ${work} runs; it gets as long once more.`,
    )
    silence = setTimeout(onSilence, idleTimeoutMs)
  }

  const listen = (): void => {
    clearTimeout(silence)
    warned = false
    isTroubled = false
    if (finished()) silence = setTimeout(() => onAlarm('grace'), resultGraceMs)
    else if (idleTimeoutMs !== undefined) silence = setTimeout(onSilence, idleTimeoutMs)
  }

  const troubled = (): void => {
    if (isTroubled || troubledTimeoutMs === undefined) return
    isTroubled = true
    clearTimeout(silence)
    silence = setTimeout(
      () => onAlarm('idle-timeout'),
      Math.min(troubledTimeoutMs, idleTimeoutMs ?? Infinity),
    )
  }

  listen()
  return {
    /** A line came. */
    heard: listen,
    troubled,
    stop: (): void => {
      clearTimeout(whole)
      clearTimeout(silence)
    },
  }
}

const inWords = (ms = 0): string =>
  ms < 120_000 ? `${Math.round(ms / 1000)} seconds` : `${Math.round(ms / 60_000)} minutes`
