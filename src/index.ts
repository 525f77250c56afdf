/** yoke as a library: the trim of stored sessions, what is in them, how their format compares, and the test vectors as data. */

export type { Drift } from './drift/drift.ts'
export type { Format } from './drift/format.ts'
export { shippedFormats } from './drift/known-formats.ts'
export { fingerprintSession, type SessionFingerprint } from './drift/session-fingerprint.ts'
export { type Notes, parseNotes } from './loop/notes.ts'
export { type Inventory, type InventoryRow, takeInventory } from './transcript/inventory.ts'
export type { TrimReport } from './transcript/report.ts'
export { restore, type TrimRefusal, type TrimRequest, type TrimResult, trim } from './transcript/trim.ts'
export { vectorFiles } from './vectors/files.ts'
export { version } from './version.ts'
