/** yoke as a library: the trim of stored sessions, what is in them, and the test vectors as data. */

export { type Notes, parseNotes } from './loop/notes.ts'
export { type Inventory, type InventoryRow, takeInventory } from './transcript/inventory.ts'
export type { TrimReport } from './transcript/report.ts'
export { restore, type TrimRefusal, type TrimRequest, type TrimResult, trim } from './transcript/trim.ts'
export { vectorFiles } from './vectors/files.ts'
export { version } from './version.ts'
