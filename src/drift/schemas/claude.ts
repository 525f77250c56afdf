// Made by scripts/harvest.ts: do not edit.
import format0 from './claude/2.1.317.json' with { type: 'json' }
import format1 from './claude/2.1.318.json' with { type: 'json' }
import format2 from './claude/2.1.319.json' with { type: 'json' }

/** Every format of Claude Code, oldest first, as it stands in its file. */
export const claudeFormats: readonly unknown[] = [format0, format1, format2]
