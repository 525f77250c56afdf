// Made by scripts/harvest.ts: do not edit.
import format0 from './opencode/1.2.27.json' with { type: 'json' }
import format1 from './opencode/1.18.33.json' with { type: 'json' }

/** Every format of OpenCode, oldest first, as it stands in its file. */
export const opencodeFormats: readonly unknown[] = [format0, format1]
