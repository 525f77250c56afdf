/** How people are told that a run has ended: by the bell, by a notification of the desktop, or both. */
export type Notify = 'bell' | 'desktop' | 'all'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The escape sequences that tell people something. Desktop notifications are OSC 777 (VTE, foot, urxvt, Ghostty) or OSC 9 (iTerm2, WezTerm,
 * Windows Terminal, kitty): one of them, since a terminal that knows both would show it twice. tmux hands one on when it is wrapped,
 * if `allow-passthrough` is on.
 */
export const notification = (text: string, how: Notify, env: Env): string => {
  const bell = how === 'desktop' ? '' : '\u0007'
  if (how === 'bell') return bell
  // What stands between the fields of OSC 777, and what ends a sequence.
  const words = text.replace(/[\u0000-\u001f\u007f-\u009f;]+/g, ' ').slice(0, 200)
  const sequence = speaks777(env)
    ? `\u001b]777;notify;yoke;${words}\u001b\\`
    : `\u001b]9;yoke: ${words}\u001b\\`
  return bell + (env['TMUX'] ? throughTmux(sequence) : sequence)
}

const speaks777 = (env: Env): boolean =>
  Boolean(env['VTE_VERSION']) || /^(foot|rxvt|xterm-ghostty|contour)/.test(env['TERM'] ?? '')

const throughTmux = (sequence: string): string =>
  `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`
