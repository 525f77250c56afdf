/** Gives the ids of a session that is stored anew: an id that is taken makes an import skip its row without a word (1.18.33). */
export type Mint = (kind: 'ses' | 'msg' | 'prt', time: string) => string

/**
 * An id is a kind, twelve hex digits of time and counter, by which rows are ordered, and fourteen random characters. `random` gives
 * bytes; `time` are the twelve digits.
 */
export const mintIds =
  (random: (length: number) => Uint8Array): Mint =>
  (kind, time) =>
    `${kind}_${time}${Array.from(random(14), (byte) => letters[byte % letters.length]).join('')}`

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Whether this can be the id of a session, or the beginning of one. */
export const isSessionId = (text: string): boolean => /^ses_\w+$/.test(text)

const form = /^[a-z]+_([0-9a-f]{12})[0-9A-Za-z]+$/

/** The twelve digits of an id; undefined when it is not made like one. */
export const timeOfId = (id: string): string | undefined => form.exec(id)?.[1]

/** The twelve digits that come `steps` later. */
export const later = (time: string, steps: number): string =>
  (BigInt(`0x${time}`) + BigInt(steps)).toString(16).padStart(12, '0').slice(-12)
